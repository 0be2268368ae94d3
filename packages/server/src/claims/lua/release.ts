/**
 * Gives a claim up, so that the same key may run again at once.
 *
 * KEYS[1] the operation
 * ARGV[1] owner token
 *
 * Replies: RELEASED | NOT_OWNER
 *
 * Invariant: a stale owner cannot take the claim from whoever has it now, nor remove a settled outcome.
 */
export const releaseLua = `
local entry = redis.call('HMGET', KEYS[1], 'status', 'owner')
if entry[1] == 'IN_PROGRESS' and entry[2] == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 'RELEASED'
end
return 'NOT_OWNER'
`;
