/**
 * Extends the lease of a claim for its owner. Where the entry vanished (flushed, evicted, failed over) the claim is
 * taken anew: the owner still runs, and duplicates are better refused here than at the database.
 *
 * KEYS[1] the operation
 * ARGV[1] fingerprint · ARGV[2] owner token · ARGV[3] lease in ms
 *
 * Replies: RENEWED | LOST
 *
 * Invariant: never touches an entry of another owner, nor a settled one.
 */
export const renewLua = `
local entry = redis.call('HMGET', KEYS[1], 'status', 'owner')
if not entry[1] then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'status', 'IN_PROGRESS', 'owner', ARGV[2],
    'since', time[1] * 1000 + math.floor(time[2] / 1000))
elseif entry[1] ~= 'IN_PROGRESS' or entry[2] ~= ARGV[2] then
  return 'LOST'
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 'RENEWED'
`;
