# Draws the pictures: gnuplot -e "out='FOLDER'" plots.gp reads FOLDER/plots/*.dat, of report.pl, and writes FOLDER/*.svg.
set terminal svg size 860, 460 font 'sans-serif,13' background rgb 'white' enhanced dashed
set encoding utf8
set key outside right top vertical Left reverse samplen 2 spacing 1.3 noenhanced autotitle columnheader
set grid ytics xtics linecolor rgb '#dddddd' linetype 1
set border 3 linecolor rgb '#555555'
set tics nomirror
set style data linespoints
set pointsize 0.6

bloom   = '#1f6fb4'
cuckoo  = '#c8501e'
plain   = '#e2a78a'
text    = '#8fb8dc'
other   = '#4d9a58'
another = '#8a63a8'
limit   = '#555555'
file(name) = out . '/plots/' . name . '.dat'
# Whether it was measured.
has(name) = int(system("test -s '" . file(name) . "' && echo 1 || echo 0"))

set title 'Bits per value by false positive rate, 10 million values'
set xlabel 'false positive rate'
set ylabel 'bits per value'
set logscale x
set xrange [0.3:1e-6]
set format x '10^{%T}'
set yrange [0:40]
if (has('space')) {
    set output out . '/space.svg'
    data = file('space')
    plot data index 1 using 1:2 linecolor rgb bloom linewidth 2, \
         data index 2 using 1:2 linecolor rgb cuckoo linewidth 2, \
         data index 3 using 1:2 linecolor rgb text, \
         data index 4 using 1:2 linecolor rgb plain, \
         data index 5 using 1:2 linecolor rgb plain dashtype 2, \
         data index 0 using 1:2 with lines linecolor rgb limit dashtype 3
}

set title 'Time per lookup of an absent value'
set xlabel 'values in the set'
set ylabel 'ns'
set logscale y
set xrange [7e3:1.5e8]
set yrange [*:*]
set format y '%g'
if (has('lookup')) {
    set output out . '/lookup.svg'
    data = file('lookup')
    plot data index 1 using 1:2 linecolor rgb bloom linewidth 2, \
         data index 2 using 1:2 linecolor rgb cuckoo linewidth 2, \
         data index 3 using 1:2 linecolor rgb plain, \
         data index 4 using 1:2 linecolor rgb text, \
         data index 5 using 1:2 linecolor rgb other, \
         data index 0 using 1:2 linecolor rgb limit dashtype 3
}

set title 'Build time per value'
if (has('build')) {
    set output out . '/build.svg'
    data = file('build')
    plot data index 1 using 1:2 linecolor rgb bloom linewidth 2, \
         data index 2 using 1:2 linecolor rgb cuckoo linewidth 2, \
         data index 3 using 1:2 linecolor rgb bloom dashtype 2, \
         data index 4 using 1:2 linecolor rgb another, \
         data index 5 using 1:2 linecolor rgb text, \
         data index 6 using 1:2 linecolor rgb plain, \
         data index 7 using 1:2 linecolor rgb plain dashtype 2, \
         data index 8 using 1:2 linecolor rgb other, \
         data index 0 using 1:2 linecolor rgb limit dashtype 3
}

set title 'Time added per scanned row to test its key, no key being in the set'
set ylabel 'ns per row'
set xrange [70:1.5e6]
if (has('probe')) {
    set output out . '/probe.svg'
    data = file('probe')
    plot data index 0 using 1:2 linecolor rgb bloom linewidth 2, \
         data index 1 using 1:2 linecolor rgb cuckoo linewidth 2, \
         data index 2 using 1:2 linecolor rgb another, \
         data index 3 using 1:2 linecolor rgb other, \
         data index 4 using 1:2 linecolor rgb limit
}

set title 'Time of a join with a filter, relative to the join without it'
set xlabel 'fraction of rows that match'
set ylabel ''
unset logscale y
set xrange [0.8:130]
set yrange [0:*]
set xtics ('1%%' 1, '3%%' 3, '10%%' 10, '30%%' 30, '100%%' 100)
set arrow from 0.8, 1 to 130, 1 nohead linecolor rgb limit dashtype 3
if (has('join')) {
    set output out . '/join.svg'
    data = file('join')
    plot data index 0 with yerrorlines linecolor rgb text linewidth 2, \
         data index 1 with yerrorlines linecolor rgb bloom linewidth 2, \
         data index 2 with yerrorlines linecolor rgb cuckoo linewidth 2
}
