import type { ContextOffloader } from '@spillway/core'
import type { AdapterHarness, Conversation, ConversationResult } from '../harness.ts'
import { SESSION } from './bench.ts'
import { behaving, calling, callingAll, returning } from './case-tools.ts'
import { retrieving } from './retrieval-answers.ts'
import { json, LOG, log, media, text, USERS } from './sample-content.ts'
import { scripted, type ScriptedTurn } from './scripted-model.ts'
import { lastResult, referencesIn } from './seen-results.ts'

const TOOLS: Conversation['tools'] = [
  returning('read_log', text(LOG)),
  returning('list_users', json(USERS)),
  returning('capture', text(log('the capture', 500)), media('image', 20_000)),
  behaving('build', { type: 'returns-error', text: log('the build', 500) }),
  returning('read_status', text('all is well')),
]

/** Run a conversation with results of every kind and retrievals; the same in every run and every process. */
export async function runFirst(
  harness: AdapterHarness,
  offloader: ContextOffloader | undefined,
): Promise<ConversationResult> {
  const model = scripted(
    callingAll(
      { id: 'call_1', name: 'read_log', input: { path: '/var/log' } },
      { id: 'call_2', name: 'read_status', input: {} },
    ),
    ...(offloader === undefined ? [] : [searching('call_1')]),
    callingAll({ id: 'call_3', name: 'list_users', input: {} }, { id: 'call_4', name: 'capture', input: {} }),
    calling('build', {}, 'call_5'),
  )
  return harness.run({ offloader, session: SESSION, tools: TOOLS, model })
}

/** Go on with that conversation, from its history; with an offloader it retrieves what was offloaded before. */
export async function runSecond(
  harness: AdapterHarness,
  offloader: ContextOffloader | undefined,
  history: unknown,
  retrieves: boolean = offloader !== undefined,
): Promise<ConversationResult> {
  const model = scripted(
    ...(retrieves ? [searching('call_1', 'retrieval_2')] : []),
    calling('read_log', { path: '/var/log/again' }, 'call_6'),
  )
  return harness.run({
    offloader,
    session: SESSION,
    tools: TOOLS,
    model,
    userMessage: 'Go on.',
    history: throughJson(history),
  })
}

function searching(toolCallId: string, id = 'retrieval_1'): ScriptedTurn {
  return (prompt) => {
    const [reference] = referencesIn(lastResult(prompt, toolCallId))
    return retrieving({ reference, pattern: 'status=FAILED' }, id)
  }
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
