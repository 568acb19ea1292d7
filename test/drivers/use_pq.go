// lib/pq.
package main

import (
	"database/sql"

	"github.com/lib/pq"
)

func main() {
	var known bool
	var image []byte

	db, err := sql.Open("postgres", "")
	must(err)
	transaction, err := db.Begin()
	must(err)

	// Lines of the documentation: pq

	must(transaction.Commit())
	point(known, "the value is known", "it is not")
	compare(string(image[:4]), "ckfl", "the bytes are those of an image")

	ask := func(query string, parameters ...interface{}) (value interface{}, err error) {
		err = db.QueryRow(query, parameters...).Scan(&value)
		return
	}
	compare(answer(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)")), "1", "COPY copied")
	askCases("pq", ask, func(list []string) interface{} { return pq.Array(list) })
	finish()
}
