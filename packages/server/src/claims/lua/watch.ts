/**
 * Marks an operation in progress as watched: whoever ends it publishes the news under the operation's own name.
 * Nothing is published for operations that nobody watches, so watching costs only those who do.
 *
 * KEYS[1] the operation
 *
 * Replies: WATCHED | NOT_IN_PROGRESS
 *
 * Invariant: changes nothing of who holds the claim, nor until when.
 */
export const watchLua = `
if redis.call('HGET', KEYS[1], 'status') == 'IN_PROGRESS' then
  redis.call('HSET', KEYS[1], 'watched', '1')
  return 'WATCHED'
end
return 'NOT_IN_PROGRESS'
`;
