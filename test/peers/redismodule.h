/*
 * The types that RedisBloom's config.h needs; nothing here uses them. The real header is in a submodule.
 */
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleCtx RedisModuleCtx;

extern const char *RedisModule_StringPtrLen(const RedisModuleString *string, size_t *length);
