import { StorageError } from '@spillway/core'
import { afterEach, expect, test, vi } from 'vitest'
import { EventLog } from './event-log.ts'

const lines: string[] = []

vi.spyOn(process.stderr, 'write').mockImplementation((data: unknown, ...others: readonly unknown[]) => {
  lines.push(String(data))
  const done = others.at(-1) as (() => void) | undefined
  done?.()
  return true
})

afterEach(() => void lines.splice(0))

const offloaded = {
  type: 'offload',
  toolName: 't',
  toolCallId: 'c',
  stored: [],
  tokens: { original: 9, replacement: 1 },
  durationMs: 1,
} as const

const failed = {
  type: 'offload-failed',
  toolName: 't',
  toolCallId: 'c',
  error: new StorageError('unavailable', 'The disk is full.'),
  failures: 1,
  tokens: { original: 9 },
  durationMs: 1,
} as const

test('the event log has only the events that a user needs', () => {
  const log = new EventLog(false)
  log.offload(offloaded)
  log.offload(failed)
  log.offload({ ...failed, failures: 12 })
  log.offload({ type: 'offload-recovered', failures: 13, tokens: { original: 117 } })
  log.upstream({ type: 'server-ended', server: 's', reason: 'exit code 1', unanswered: 2 })
  log.upstream({ type: 'session-renewed', server: 's' })
  log.upstream({ type: 'server-error', server: 's', message: 'it cannot be reached' })
  log.error(new Error('wrong'))
  expect(lines).toEqual([
    'spillway: A result of t could not be stored, and is unchanged: The disk is full.\n',
    'spillway: 12 results could not be stored, the last of t, and are unchanged: The disk is full.\n',
    'spillway: Results are stored again. 13 could not be stored before.\n',
    'spillway: The server s ended (exit code 1). 2 calls had no answer.\n',
    'spillway: The server s had lost the session, and got a new one.\n',
    'spillway: s: it cannot be reached\n',
    'spillway: wrong\n',
  ])
})

test('the event log has every event as a line of JSON if requested', () => {
  const log = new EventLog(true)
  log.offload(offloaded)
  log.offload(failed)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: 'offload', tokens: { original: 9 } },
    { type: 'offload-failed', error: 'The disk is full.' },
  ])
})
