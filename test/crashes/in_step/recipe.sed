# For sed -n -f: prints the first block of SQL in a document.
/^```$/q
/^```sql$/,$ {
	/^```/!p
}
