/**
 * Gives a claim up, so that the same key may run again at once.
 *
 * KEYS[1] the operation
 * ARGV[1] owner token
 *
 * Replies: RELEASED | NOT_OWNER; those who watch hear of a release
 *
 * Invariant: a stale owner cannot take the claim from whoever has it now, nor remove a settled outcome.
 */
export const releaseLua = `
local entry = redis.call('HMGET', KEYS[1], 'status', 'owner', 'watched')
if entry[1] == 'IN_PROGRESS' and entry[2] == ARGV[1] then
  redis.call('DEL', KEYS[1])
  if entry[3] then redis.call('PUBLISH', entry[3], 'RELEASED') end
  return 'RELEASED'
end
return 'NOT_OWNER'
`;
