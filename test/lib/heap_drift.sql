-- A function of test/lib/heap_drift.c: let the private state of scans of a table drift, in this session.
CREATE FUNCTION heap_drift(regclass, text) RETURNS void LANGUAGE c AS 'heap_drift';
