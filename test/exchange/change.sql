-- Changes the filters. The same changes give the same bytes everywhere. Nothing can be deleted from a union.
\set QUIET on
SELECT format($$
    UPDATE filters SET
        bloom = bf_union(bf_add_all(bloom, (SELECT array_agg(%1$I ORDER BY i) FROM samples WHERE i > 3000)),
            (SELECT bf_agg(%1$I, 500) FROM samples WHERE i > 3500)),
        cuckoo = cf_compact(CASE WHEN name = 'union' THEN added
            ELSE cf_delete_all(added, (SELECT array_agg(%1$I ORDER BY i) FROM samples WHERE i <= 500)) END)
    FROM (SELECT cf_add_all(cuckoo, (SELECT array_agg(%1$I ORDER BY i) FROM samples WHERE i > 3000)) AS added
          FROM filters WHERE name = %2$L) AS f
    WHERE name = %2$L$$, value, name)
FROM filters WHERE changes \gexec
