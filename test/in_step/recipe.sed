# sed -n -f: the SQL in the first block of a document.
/^```$/q
/^```sql$/,$ {
	/^```/!p
}
