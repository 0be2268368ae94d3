/**
 * Marks an operation in progress as watched: whoever ends it publishes the news on the channel that is named here, which
 * is the key as the watcher writes it, because a client's own key prefix is put before keys and not before channels.
 * Nothing is published for operations that nobody watches, so watching costs only those who do.
 *
 * KEYS[1] the operation
 * ARGV[1] channel
 *
 * Replies: WATCHED | NOT_IN_PROGRESS
 *
 * Invariant: changes nothing of who holds the claim, nor until when.
 */
export const watchLua = `
if redis.call('HGET', KEYS[1], 'status') == 'IN_PROGRESS' then
  redis.call('HSET', KEYS[1], 'watched', ARGV[1])
  return 'WATCHED'
end
return 'NOT_IN_PROGRESS'
`;
