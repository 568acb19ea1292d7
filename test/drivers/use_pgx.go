// pgx.
package main

import (
	"bytes"
	"context"

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
	compare(answer(ask("SELECT count(*) FROM newsletters_copy JOIN newsletters USING (name, readers)")), "2", "COPY copied")
	askCases("pgx", ask, func(list []string) interface{} { return list })

	_, err = connection.Exec(ctx, "DELETE FROM newsletters_copy")
	must(err)
	var text string
	must(connection.QueryRow(ctx, "SELECT readers FROM newsletters WHERE name = 'copy'").Scan(&text))
	_, err = connection.CopyFrom(ctx, pgx.Identifier{"newsletters_copy"}, []string{"name", "readers"},
		pgx.CopyFromRows([][]interface{}{{"copy", text}}))
	compare(answer("copied", err), "ERROR: ", "rows with filters cannot be copied")
	finish()
}
