import { createHash } from 'node:crypto'

export const MAX_TOMBSTONES = 1_000
export const TOMBSTONE_AGE_MS: number = 7 * 24 * 60 * 60 * 1000
/** Longest time between indexing a small entry and writing it. A missing key counts as evicted only after this time. */
const GAP_MS = 60_000
/** An entry is not removed if it was used this many milliseconds after the request, or later. */
const LATER_USE_MS = 1_000
/** Largest number of keys that a script removes, except for the keys of one entry. */
const REMOVED_AT_ONCE = 5_000

/** A Lua script. Its keys share a hash tag, so a Cluster refuses the script while the keys move. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

// Write numbers with 17 digits: Lua itself would shorten large numbers.
const COMMON = `
local index = KEYS[1]
local tag = string.sub(index, 1, -6)
local evicted = tag .. 'evicted'
local writers = tag .. 'writers'
local function number(value) return string.format('%.17g', value) end
local function entry(reference) return tag .. 'entry:' .. reference end
local function piece(reference, nonce, i) return tag .. 'piece:' .. reference .. ':' .. nonce .. ':' .. string.format('%d', i) end
local function parse(value)
  local line = string.match(value, '^[^\\n]*\\n')
  if not line then return nil end
  local nonce, size, bytes, described, lines = string.match(line, '^spillway1 (%S+) (%d+) (%d+) (%d+) (%d+)\\n$')
  if not nonce then return nil end
  size, bytes = tonumber(size), tonumber(bytes)
  local head = #line + tonumber(described) + tonumber(lines)
  if bytes == 0 then return { nonce = nonce, pieces = 0, head = head, length = head + size } end
  local pieces = math.ceil(size / bytes)
  return { nonce = nonce, pieces = pieces, bytes = bytes, last = size - bytes * (pieces - 1), head = head, length = head }
end
local function header(key) return parse(redis.call('GETRANGE', key, 0, 159)) end
local function pieces(reference, head)
  local found = 'whole'
  for i = 0, head.pieces - 1 do
    local length = redis.call('STRLEN', piece(reference, head.nonce, i))
    if length == 0 then return 'lost' end
    if length ~= (i == head.pieces - 1 and head.last or head.bytes) then found = 'cut' end
  end
  return found
end
local function state(reference, head)
  if redis.call('STRLEN', entry(reference)) ~= head.length then return 'cut' end
  return pieces(reference, head)
end
local function each(reference, head, command)
  local keys = {}
  for i = 0, head.pieces - 1 do
    keys[#keys + 1] = piece(reference, head.nonce, i)
    if #keys == 500 or i == head.pieces - 1 then
      if command == 'UNLINK' then redis.call('UNLINK', unpack(keys))
      else for _, key in ipairs(keys) do redis.call(command, key) end end
      keys = {}
    end
  end
end
local function drop(reference, head)
  redis.call('UNLINK', entry(reference))
  if head then each(reference, head, 'UNLINK') end
end
local function lastUse(reference)
  local score = redis.call('ZSCORE', index, reference)
  return score and tonumber(score) or nil
end
local function revive(reference, used)
  redis.call('ZADD', index, number(used), reference)
  redis.call('HDEL', evicted, reference)
end
local function isLost(reference, used, now)
  return used and used >= 0 and used <= now - ${GAP_MS} and redis.call('EXISTS', entry(reference)) == 0
end
local function bury(reference, at, eviction)
  local kept = redis.pcall('HSET', evicted, reference, eviction)
  if type(kept) == 'table' and kept.err then
    redis.call('ZREM', index, reference)
    return
  end
  redis.call('ZADD', index, number(-1 - at), reference)
  redis.call('PEXPIRE', evicted, ${TOMBSTONE_AGE_MS})
  local excess = redis.call('ZCOUNT', index, '-inf', '(0') - ${MAX_TOMBSTONES}
  if excess > 0 then
    local oldest = redis.call('ZREVRANGEBYSCORE', index, '(0', '-inf', 'LIMIT', 0, math.min(excess, 1000))
    redis.call('ZREM', index, unpack(oldest))
    redis.call('HDEL', evicted, unpack(oldest))
  end
end
`

function script(body: string): Script {
  const lua = COMMON + body
  // The hash names a script to Redis. It protects no secret.
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/**
 * Commits an entry whose chunks are stored. If the entry already exists, updates its last use. Idempotent.
 *
 * Arguments: reference, time of use, the entry. Returns the last use, and 0 if the entry existed, or 1 if it was
 * created. The number is 2 if the entry is also the first of its scope, and -1 if a chunk is missing.
 */
export const COMMIT: Script = script(`
local reference, used, value = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local old, mine = header(entry(reference)), parse(string.sub(value, 1, 160))
if old and old.nonce == mine.nonce then return { 1, number(lastUse(reference) or used) } end
local function ended() if mine.pieces > 0 then redis.call('ZREM', writers, reference .. ':' .. mine.nonce) end end
if old and state(reference, old) == 'whole' then
  local before = lastUse(reference)
  if before and before >= used then used = before + 1 end
  revive(reference, used)
  each(reference, mine, 'UNLINK')
  ended()
  return { 0, number(used) }
end
if pieces(reference, mine) ~= 'whole' then return { -1, '0' } end
revive(reference, used)
if old then drop(reference, old) end
redis.call('SET', entry(reference), value)
each(reference, mine, 'PERSIST')
ended()
return { redis.call('ZCARD', index) == 1 and 2 or 1, number(used) }
`)

/**
 * Renews the chunks of a living writer. Committed chunks are not renewed, because a late renewal would let them expire.
 *
 * Arguments: reference, nonce, number of chunks, milliseconds, the time.
 */
export const RENEW: Script = script(`
local head = header(entry(ARGV[1]))
if head and head.nonce == ARGV[2] then return 0 end
for i = 0, tonumber(ARGV[3]) - 1 do redis.call('PEXPIRE', piece(ARGV[1], ARGV[2], i), ARGV[4]) end
redis.call('ZADD', writers, ARGV[5], ARGV[1] .. ':' .. ARGV[2])
redis.call('PEXPIRE', writers, ARGV[4])
return 1
`)

/** Sets the last use of a complete entry. Returns it, or nothing for a missing entry. Arguments: reference, time. */
export const TOUCH: Script = script(`
local reference, used = ARGV[1], tonumber(ARGV[2])
local head = header(entry(reference))
if not head or state(reference, head) ~= 'whole' then return false end
local before = lastUse(reference)
if before and before >= 0 then
  if before >= used then used = before + 1 end
  redis.call('ZADD', index, number(used), reference)
else revive(reference, used) end
return number(used)
`)

/**
 * Adds missing entries to an index. Their times differ by 1 ms, so that pages can follow each other.
 *
 * Arguments: the time, references. Returns the last use of the last entry (nothing if it is missing), and the number of
 * added entries.
 */
export const RESTORE: Script = script(`
local used, entered = false, 0
for i = 2, #ARGV do
  used = false
  if header(entry(ARGV[i])) then
    used = lastUse(ARGV[i])
    if not used or used < 0 then
      used = math.max(0, tonumber(ARGV[1]) - entered)
      entered = entered + 1
      revive(ARGV[i], used)
    end
  end
end
return { used and number(used), entered }
`)

/**
 * Removes entries. Arguments: the time, references.
 *
 * Returns the number of handled entries, and the references of those that existed. After large entries, the next call
 * handles the rest. Entries that were used well after the request are kept, because the caller may no longer wait for
 * the removal. The third result has these entries, followed by their latest use.
 */
export const REMOVE: Script = script(`
local now, latest, left = tonumber(ARGV[1]), 0, {}
local budget, seen, removed = ${REMOVED_AT_ONCE}, 0, {}
for i = 2, #ARGV do
  if budget <= 0 then break end
  local reference = ARGV[i]
  local head = header(entry(reference))
  local used = lastUse(reference)
  local exists = redis.call('EXISTS', entry(reference)) == 1
  local at = used and used < 0 and -1 - used or used or 0
  if at > now + ${LATER_USE_MS} then
    left[#left + 1] = reference
    latest = math.max(latest, at)
  -- What is in the index and not there yet may be about to be written.
  elseif exists or (used and (used < 0 or isLost(reference, used, now))) then
    if exists then removed[#removed + 1] = reference end
    drop(reference, head)
    redis.call('ZREM', index, reference)
    redis.call('HDEL', evicted, reference)
  end
  budget = budget - 1 - (head and head.pieces or 0)
  seen = i - 1
end
return { seen, removed, left, number(latest) }
`)

/** Evicts an entry. Arguments: reference, latest time of use, the time, tombstone or nothing. */
export const EVICT: Script = script(`
local reference = ARGV[1]
if redis.call('EXISTS', entry(reference)) == 0 then return 0 end
local used = lastUse(reference)
if not used or used > tonumber(ARGV[2]) then return 0 end
local head = header(entry(reference))
if ARGV[4] == '' then redis.call('ZREM', index, reference) else bury(reference, tonumber(ARGV[3]), ARGV[4]) end
drop(reference, head)
return 1
`)

/** Returns the tombstone of an evicted entry. Arguments: reference, time, tombstone if the server evicted it. */
export const FIND_EVICTION: Script = script(`
local reference = ARGV[1]
local used = lastUse(reference)
if not used then return false end
if used < 0 then return redis.call('EXISTS', entry(reference)) == 0 and redis.call('HGET', evicted, reference) end
if not isLost(reference, used, tonumber(ARGV[2])) then return false end
bury(reference, tonumber(ARGV[2]), ARGV[3])
return ARGV[3]
`)

/** Stores tombstones of entries that the server evicted. Arguments: the time, tombstone, references. */
export const FIND_LOST: Script = script(`
for i = 3, #ARGV do
  if isLost(ARGV[i], lastUse(ARGV[i]), tonumber(ARGV[1])) then bury(ARGV[i], tonumber(ARGV[1]), ARGV[2]) end
end
return 1
`)

/**
 * Returns the state of an entry with a chunk that cannot be read: missing, truncated, evicted by the server, or
 * complete. Entries that the server evicted get a tombstone.
 *
 * Arguments: reference, nonce, the time, tombstone.
 */
export const EXAMINE: Script = script(`
local reference = ARGV[1]
local head = header(entry(reference))
if not head or head.nonce ~= ARGV[2] then return 'gone' end
local found = state(reference, head)
if found == 'lost' then
  bury(reference, tonumber(ARGV[3]), ARGV[4])
  drop(reference, head)
end
return found
`)

/** Lists entries by use: reference, last use, header. Arguments: first and last time of use, limit, entries to skip. */
export const PAGE: Script = script(`
local page = redis.call('ZRANGEBYSCORE', index, ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', ARGV[4], ARGV[3])
local result = {}
for i = 1, #page, 2 do
  local key = entry(page[i])
  local head = header(key)
  local at = #result
  result[at + 1], result[at + 2] = page[i], page[i + 1]
  result[at + 3] = redis.call('GETRANGE', key, 0, (head and head.head or 160) - 1)
end
return result
`)

/**
 * Removes the chunks of a failed writer, unless they are committed: then only the answer to the commit was lost.
 *
 * Arguments: reference, nonce. Keys after the index and the entry: the chunks.
 */
export const ABANDON: Script = script(`
local head = header(entry(ARGV[1]))
if head and head.nonce == ARGV[2] then return 0 end
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
redis.call('ZREM', writers, ARGV[1] .. ':' .. ARGV[2])
return 1
`)

/**
 * Removes leftovers of a killed writer. Returns the number of removed keys and their bytes.
 *
 * Arguments: reference, nonce, start time, latest time of the last heartbeat. Keys after the index and the entry: known
 * leftovers. Chunks from number 0 on are removed, too.
 */
export const SWEEP: Script = script(`
local head = header(entry(ARGV[1]))
if head and head.nonce == ARGV[2] then return { 0, 0 } end
local writer = ARGV[1] .. ':' .. ARGV[2]
local seen = math.max(tonumber(ARGV[3]), tonumber(redis.call('ZSCORE', writers, writer) or '0'))
if seen > tonumber(ARGV[4]) then return { 0, 0 } end
local removed, bytes = 0, 0
local function remove(key)
  bytes = bytes + redis.call('STRLEN', key)
  local found = redis.call('UNLINK', key)
  removed = removed + found
  return found == 1
end
for i = 3, #KEYS do remove(KEYS[i]) end
local i = 0
while remove(piece(ARGV[1], ARGV[2], i)) do i = i + 1 end
redis.call('ZREM', writers, writer)
return { removed, bytes }
`)

/** Deletes tombstones before a time. Argument: this time. */
export const FORGET_EVICTIONS: Script = script(`
local old = redis.call('ZRANGEBYSCORE', index, number(-tonumber(ARGV[1])), '(0', 'LIMIT', 0, 1000)
if #old > 0 then
  redis.call('ZREM', index, unpack(old))
  redis.call('HDEL', evicted, unpack(old))
end
return #old
`)
