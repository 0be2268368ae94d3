/**
 * Claims an operation, atomically.
 *
 * KEYS[1] the operation
 * ARGV[1] fingerprint · ARGV[2] owner token · ARGV[3] lease in ms
 *
 * Replies, first word first:
 *   ACQUIRED                      nobody had it, or the same owner asked again
 *   IN_PROGRESS left-ms age-ms    another owner has it
 *   COMPLETED|FAILED code headers body   it settled; body is nil where only the record has it
 *   MISMATCH fingerprint          the key is in use with another input
 *
 * Invariant: an entry in progress has one owner and always a lease.
 */
export const claimLua = `
local entry = redis.call('HMGET', KEYS[1], 'fingerprint', 'status', 'owner', 'since', 'code', 'headers', 'body')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local since = now
if entry[1] then
  if entry[1] ~= ARGV[1] then return {'MISMATCH', entry[1]} end
  if entry[2] ~= 'IN_PROGRESS' then return {entry[2], entry[5], entry[6], entry[7]} end
  if entry[3] ~= ARGV[2] then
    return {'IN_PROGRESS', tostring(redis.call('PTTL', KEYS[1])), tostring(now - tonumber(entry[4]))}
  end
  since = entry[4]
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'status', 'IN_PROGRESS', 'owner', ARGV[2], 'since', since)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'ACQUIRED'}
`;
