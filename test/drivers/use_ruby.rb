# pg of Ruby.
require "pg"

$points = $failures = 0

def point(passed, title, details)
  $points += 1
  unless passed
    $failures += 1
    warn "#{title}: #{details}"
  end
  puts "#{passed ? 'ok' : 'not ok'} #{$points} - #{title}"
end

def compare(got, expected, title)
  passed = expected.start_with?("ERROR: ") ? got.start_with?("ERROR: ") && got.include?(expected[7..]) : got == expected
  point(passed, title, "got #{got}, expected #{expected}")
end

def parameter(word)
  kind, value = word.split(":", 2)
  case kind
  when "null" then nil
  when "list" then PG::TextEncoder::Array.new.encode(value.split(","))
  else value
  end
end

db = PG.connect

# Lines of the documentation: ruby

point(known, "the value is known", "it is not")
compare(image[0, 4], "ckfl", "the bytes are those of an image")

# COPY, in binary.
file = +""
db.copy_data("COPY news TO STDOUT (FORMAT binary)") { while (row = db.get_copy_data) do file << row end }
db.copy_data("COPY news_copy FROM STDIN (FORMAT binary)") { db.put_copy_data(file) }

ask = lambda do |query, parameters|
  result = db.exec_params(query, parameters)
  value = result.getvalue(0, 0)
  value = { "t" => "true", "f" => "false" }[value] if value && result.ftype(0) == 16
  value || "null"
rescue PG::Error => error
  error.message
end

compare(ask.call("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", []), "2", "COPY copied")
asked = 0
File.foreach("cases", chomp: true) do |line|
  next if line.start_with?("#")
  drivers, title, query, words, expected = line.split("|").map(&:strip)
  names = drivers.split
  next if names.include?("ruby") ? names[1] == "but" : names[0] != "all"
  compare(ask.call(query, words.split.map { |word| parameter(word) }), expected, title)
  asked += 1
end
point(asked > 25, "the queries were run", asked)
puts "1..#{$points}"
exit($failures == 0)
