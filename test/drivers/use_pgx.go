// pgx.
package main

import (
	"bytes"
	"context"
	"strings"

	"github.com/jackc/pgx/v4"
)

func main() {
	var known bool
	var image []byte
	var file bytes.Buffer

	ctx := context.Background()
	connection, err := pgx.Connect(ctx, "")
	must(err)

	// Lines of the documentation: pgx

	point(known, "the value is known", "it is not")
	compare(string(image[:4]), "ckfl", "the bytes are those of an image")

	ask := func(query string, parameters ...interface{}) (value interface{}, err error) {
		err = connection.QueryRow(ctx, query, parameters...).Scan(&value)
		return
	}
	compare(answer(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)")), "2", "COPY copied")

	// Rows with filters.
	_, err = connection.Exec(ctx, "DELETE FROM news_copy")
	must(err)
	copied, err := connection.CopyFrom(ctx, pgx.Identifier{"news_copy"}, []string{"name", "readers"},
		pgx.CopyFromRows([][]interface{}{{"copy", string(image)}}))
	compare(answer(copied, err), "1", "rows are copied")
	compare(answer(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)")), "1", "with their filters")

	askCases("pgx", ask, func(list []string) interface{} { return list })

	// The server cannot distinguish these bytes from text.
	question := "SELECT bf_contains(readers, $1) FROM news WHERE name = 'cats'"
	compare(answer(ask(question, []byte("ann"))), "false", "bytes without a type are sent in the form of bytea")
	compare(answer(ask(strings.Replace(question, "$1", "$1::text", 1), []byte("ann"))), "true", "with a type they are not")
	finish()
}
