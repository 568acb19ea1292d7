# Draws the plots: gnuplot -e "out='FOLDER'" plots.gp reads FOLDER/plots/*.dat, by report.pl, and writes FOLDER/*.svg.
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
# Whether the data of a plot were measured.
has(name) = int(system("test -s '" . file(name) . "' && echo 1 || echo 0"))

set title 'Size of a filter of 10 million values, by its false positive rate'
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

set title 'Time to look up a value that is absent, in C and on one thread'
set xlabel 'values in the set'
set ylabel 'ns per lookup'
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

set title 'Time to build a set, in C and on one thread'
set ylabel 'ns per value'
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

set title 'Time to scan a row and check its key against a set that does not contain it'
set xlabel 'keys in the set'
set ylabel 'ns per row'
set xrange [70:1.5e6]
set xtics ('100' 100, '1,000' 1000, '10,000' 10000, '100,000' 100000, '1 million' 1000000)
set yrange [5:5000]
set ytics ('10' 10, '100' 100, '1,000' 1000)
if (has('probe')) {
    set output out . '/probe.svg'
    data = file('probe')
    plot data index 1 using 1:2 linecolor rgb bloom linewidth 3 title 'bloomfilter', \
         data index 2 using 1:2 linecolor rgb cuckoo linewidth 3 title 'cuckoofilter', \
         data index 3 using 1:2 linecolor rgb another title '= ANY (array)', \
         data index 4 using 1:2 linecolor rgb other title 'hash join', \
         data index 5 using 1:2 linecolor rgb plain title 'index lookup', \
         data index 0 using 1:2 with lines linecolor rgb limit dashtype 3 title 'no check'
}

set title 'Time of a join with a filter, relative to the same join without one'
set xlabel 'fraction of rows that match'
set ylabel 'time with the filter / time without'
set ytics autofreq
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

set title 'Time of a scan with a filter, relative to count(*) of the same table'
set ylabel 'time / time of count(*)'
unset arrow
unset xlabel
unset logscale x
set key outside top center horizontal noautotitle
set bmargin 4
set style data histograms
set style histogram errorbars gap 1
set style fill solid noborder
set errorbars linecolor rgb limit
set xrange [-0.7:8.7]
set xtics ()
if (has('scan')) {
    set output out . '/scan.svg'
    data = file('scan')
    plot data using 2:3:4:xticlabels(1) linecolor rgb plain title 'a condition of a sequential scan', \
         data using 5:6:7 linecolor rgb bloom title 'the filter scan', \
         1 with lines linecolor rgb limit dashtype 3 notitle
}

set title 'Time of a join with 2 million rows of another server, relative to the same join without a filter'
set ylabel 'time / time with all rows, fetch\_size 100'
set xrange [-0.6:2.6]
if (has('foreign')) {
    set output out . '/foreign.svg'
    data = file('foreign')
    plot data using 2:3:4:xticlabels(1) linecolor rgb text title 'all rows, fetch_size 10,000', \
         data using 5:6:7 linecolor rgb plain title 'filtered here, 10,000', \
         data using 8:9:10 linecolor rgb another title 'list of keys sent, 10,000', \
         data using 11:12:13 linecolor rgb other title 'filter sent, 100', \
         data using 14:15:16 linecolor rgb bloom title 'filter sent, 10,000', \
         1 with lines linecolor rgb limit dashtype 3 notitle
}
