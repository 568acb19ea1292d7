/*
 * For tests: a library that was not built for PostgreSQL.
 */
extern const char not_for_postgresql[];

const char	not_for_postgresql[] = "has no magic block";
