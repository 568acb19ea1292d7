#include "scan/key_hash.h"

#include "utils/fmgroids.h"

#include "compat.h"

bool
key_hash_is_integer(Oid function)
{
	return function == F_HASHINT2 || function == F_HASHINT4 || function == F_HASHINT8;
}

void
key_hash_init(KeyHash *key, Oid function, Oid collation, bool by_integer)
{
	fmgr_info(function, &key->function);
	key->collation = collation;
	if (!by_integer)
		key->method = KEY_HASH_BY_FUNCTION;
	else if (function == F_HASHINT2)
		key->method = KEY_HASH_SMALLINT;
	else if (function == F_HASHINT4)
		key->method = KEY_HASH_INTEGER;
	else
		key->method = KEY_HASH_BIGINT;
}
