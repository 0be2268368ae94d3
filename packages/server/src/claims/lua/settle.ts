/**
 * Writes a settled outcome over whatever is there. No owner is asked for: only outcomes that the records already hold
 * are told here, and those are true whoever tells them.
 *
 * KEYS[1] the operation
 * ARGV[1] fingerprint · ARGV[2] COMPLETED|FAILED · ARGV[3] code · ARGV[4] time to keep in ms
 * ARGV[5] headers, empty for none · ARGV[6] body, left out where it is too large to keep here
 *
 * Replies: SETTLED; those who watch hear of it
 *
 * Invariant: the entry has no owner left, and always an end. The first write is one that adds: a Redis that is full refuses
 * that, but lets a script finish that has written before, so that one which began with DEL would fill it past its limit.
 */
export const settleLua = `
local watched = redis.call('HGET', KEYS[1], 'watched')
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'status', ARGV[2], 'code', ARGV[3], 'headers', ARGV[5])
redis.call('HDEL', KEYS[1], 'owner', 'since', 'watched', 'body')
if ARGV[6] then redis.call('HSET', KEYS[1], 'body', ARGV[6]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if watched then redis.call('PUBLISH', watched, 'SETTLED') end
return 'SETTLED'
`;
