# Expands a template. The lines between "-- each a b | p q | r s" and "-- end" are repeated with p for @a@ and q for @b@, then
# with r and s. The list can be continued in lines that begin with "--     |". All these lines are left out.

/^-- each / {
	if (list != "")
		fail("each inside each")
	list = substr($0, 9)
	body = ""
	next
}

/^-- end$/ {
	if (list == "")
		fail("end without each")
	repeats = split(list, groups, /[ \t]*[|][ \t]*/)
	names = split(groups[1], name, " ")
	for (i = 2; i <= repeats; i++) {
		if (split(groups[i], value, " ") != names)
			fail("wrong number of values: " groups[i])
		text = body
		for (j = 1; j <= names; j++)
			gsub("@" name[j] "@", value[j], text)
		printf "%s", text
	}
	list = ""
	next
}

list != "" && body == "" && /^--     [|]/ {
	list = list substr($0, 3)
	next
}

list != "" {
	body = body $0 "\n"
	next
}

{
	print
}

END {
	if (list != "" && !failed)
		fail("each without end")
}

function fail(message)
{
	print FILENAME ":" FNR ": " message >"/dev/stderr"
	failed = 1
	exit 1
}
