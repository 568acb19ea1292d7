/*
 * What RedisBloom's config.h declares things with; the real header is in a submodule, and nothing here uses it.
 */
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleCtx RedisModuleCtx;

extern const char *RedisModule_StringPtrLen(const RedisModuleString *string, size_t *length);
