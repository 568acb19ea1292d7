-- The tables of TPC-DS have their primary keys already, and no other indexes. The kit makes whole scales only: for a
-- fraction of scale 1, keeps this fraction of the orders and of the inventory. Included by load.sql.
SELECT format('DELETE FROM %s WHERE %s %% 1000 >= 1000 * %s', name, key, :'scale')
FROM (VALUES ('store_sales', 'ss_ticket_number'), ('store_returns', 'sr_ticket_number'),
    ('catalog_sales', 'cs_order_number'), ('catalog_returns', 'cr_order_number'), ('web_sales', 'ws_order_number'),
    ('web_returns', 'wr_order_number'), ('inventory', 'inv_item_sk')) AS facts (name, key)
WHERE :scale < 1 \gexec
SELECT 'VACUUM FULL' WHERE :scale < 1 \gexec
