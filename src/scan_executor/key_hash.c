/*
 * If the keys of both sides are integers, they are hashed as they are; all others are hashed by the operator's function.
 */
#include "scan_executor/key_hash.h"

#include "utils/fmgroids.h"

void
key_hash_init(KeyHash *hash, const JoinKey *key)
{
	fmgr_info(key->function, &hash->function);
	hash->collation = key->collation;
	if (OidIsValid(key->cast))
	{
		fmgr_info(key->cast, &hash->cast);
		hash->method = KEY_HASH_OF_CAST;
	}
	else if (!key->by_integer)
		hash->method = KEY_HASH_BY_FUNCTION;
	else if (key->function == F_HASHINT2)
		hash->method = KEY_HASH_SMALLINT;
	else if (key->function == F_HASHINT4)
		hash->method = KEY_HASH_INTEGER;
	else
		hash->method = KEY_HASH_BIGINT;
}
