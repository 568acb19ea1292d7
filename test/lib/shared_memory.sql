-- Functions of test/lib/shared_memory.c.

-- Take all slots of dynamic shared memory but `free` of those that no session has. They are the session's until it releases
-- them, or ends. The number of slots that it has.
CREATE FUNCTION take_shared_memory(free integer DEFAULT 0) RETURNS integer LANGUAGE c AS 'shared_memory';

CREATE FUNCTION release_shared_memory() RETURNS void LANGUAGE c AS 'shared_memory';
