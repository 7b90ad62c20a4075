import { GenkitError } from 'genkit'
import { expect, it } from 'vitest'
import { defaultScope, scopeRun, type Run } from './run-scope.ts'

const runtime = (currentSession?: () => { sessionId?: unknown }, context?: object): Run['ai'] => ({
  currentContext: () => context,
  ...(currentSession === undefined ? {} : { currentSession }),
})

it('the scope function gets the run', () => {
  const context = { auth: { uid: 'user-1' } }
  const config = { scope: ['chat-1'] }
  const ai = runtime(() => ({ sessionId: 'session-1' }), context)
  expect(scopeRun({ ai, config })).toEqual({ context, config, sessionId: 'session-1' })
})

it('the run has no session outside of a chat and in older versions, and its context is never undefined', () => {
  const outside = (): never => {
    throw new GenkitError({ status: 'FAILED_PRECONDITION', message: 'not running within a session' })
  }
  for (const ai of [runtime(outside), runtime(), runtime(() => ({})), runtime(() => ({ sessionId: 7 }))])
    expect(scopeRun({ ai, config: undefined })).toEqual({ context: {}, config: {}, sessionId: undefined })
})

it('errors of Genkit other than a missing session are thrown', () => {
  const failing = (): never => {
    throw new TypeError('no async context')
  }
  expect(() => scopeRun({ ai: runtime(failing), config: undefined })).toThrow('no async context')
})

it('the scope comes from the config, otherwise from the session', () => {
  const run = { context: {}, config: {}, sessionId: undefined }
  expect(defaultScope(run)).toEqual([])
  expect(defaultScope({ ...run, sessionId: 'session-1' })).toEqual(['session-1'])
  expect(defaultScope({ ...run, sessionId: 'session-1', config: { scope: ['chat-1'] } })).toEqual(['chat-1'])
  expect(defaultScope({ ...run, sessionId: 'session-1', config: { scope: [] } })).toEqual([])
})
