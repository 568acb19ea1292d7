# Turns what qgen prints for PostgreSQL into a statement. All lines are one buffer (sed -Ez).
s/--[^\n]*\n//g
s/^\s+//
# A limit is after the end of the statement, and -1 if there is none.
s/;\s*limit -1;/;/
s/;\s*limit/\nlimit/
# Intervals have no precision of days.
s/( day) \(3\)/\1/g
