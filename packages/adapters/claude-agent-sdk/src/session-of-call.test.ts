import type { PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { SessionOfCall, sessionOfCall } from './session-of-call.ts'

const call = (tool_use_id: string, session_id = 'session-1'): PreToolUseHookInput => ({
  hook_event_name: 'PreToolUse',
  tool_use_id,
  session_id,
  cwd: '/',
  transcript_path: '/',
  tool_name: 'x',
  tool_input: {},
})

it('sessionOfCall finds a session only once', () => {
  const sessions = new SessionOfCall()
  sessions.announce(call('__proto__'))
  expect(sessions.take('__proto__')?.session_id).toBe('session-1')
  expect(sessions.take('__proto__')).toBeUndefined()
  expect(sessions.take('constructor')).toBeUndefined()
})

it('sessionOfCall finds no session if two sessions share an id, but finds the session of a call that is announced twice', () => {
  const sessions = new SessionOfCall()
  sessions.announce(call('a'))
  sessions.announce(call('a'))
  expect(sessions.take('a')).toBeDefined()
  sessions.announce(call('b', 'session-1'))
  sessions.announce(call('b', 'session-2'))
  sessions.announce(call('b', 'session-1'))
  expect(sessions.take('b')).toBeUndefined()
})

it('sessionOfCall forgets calls that were never made, the oldest first', () => {
  const sessions = new SessionOfCall()
  for (let id = 0; id < 5_000; id += 1) sessions.announce(call(`${id}`))
  expect(sessions.take('3999')).toBeUndefined()
  expect(sessions.take('4000')).toBeDefined()
})

it('sessionOfCall has one instance for each offloader', () => {
  const [one, other] = [1, 2].map(() => new ContextOffloader({ storage: new InMemoryStorage() }))
  if (one === undefined || other === undefined) throw new Error('There are two.')
  expect(sessionOfCall(one)).toBe(sessionOfCall(one))
  expect(sessionOfCall(one)).not.toBe(sessionOfCall(other))
})
