import { isFull } from '@spillway-internal/test-run'
import type { ContextOffloader } from '@spillway/core'
import type { AdapterHarness, Conversation, ConversationResult } from '../harness.ts'
import { SESSION } from './bench.ts'
import { behaving, calling, callingAll, returning } from './case-tools.ts'
import { COMPACT } from './long-conversation.ts'
import { retrieving } from './retrieval-answers.ts'
import { assertDone } from './run-pair.ts'
import { json, LOG, log, media, text, USERS } from './sample-content.ts'
import { scripted, type ScriptedTurn } from './scripted-model.ts'
import { lastResult, referencesIn } from './seen-results.ts'

const TOOLS: Conversation['tools'] = [
  returning('read_log', text(LOG)),
  returning('list_users', json(USERS)),
  returning('capture', text(log('the capture')), media('image', 20_000)),
  behaving('build', { type: 'returns-error', text: log('the build') }),
  returning('read_status', text('all is well')),
]

/** Run a conversation with results of every kind and with retrievals. Every run and every process gives the same. */
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

/** Continue that conversation from its history. With an offloader, the run retrieves content of the first run. */
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

/** Number of model calls in a long session. Even the shorter session has each kind of turn in both of its runs. */
export const SESSION_CALLS = isFull ? 50 : 14

/**
 * Run a session of {@link SESSION_CALLS} model calls in two runs, and return the requests. The second run continues the
 * saved history, and compacts it if the harness can.
 */
export async function runLongSession(harness: AdapterHarness, offloader: ContextOffloader): Promise<readonly string[]> {
  const requests: string[] = []
  const turns = SESSION_CALLS / 2 - 1
  let history: unknown
  for (const run of [0, 1]) {
    const result = await harness.run({
      offloader,
      session: SESSION,
      tools: SMALLER_TOOLS,
      model: scripted(...Array.from({ length: turns }, (_, index) => turnOf(run * turns + index))),
      ...(run === 1 && { userMessage: 'Go on.', history: throughJson(history) }),
      ...(run === 1 && harness.compactsHistory === true && { compaction: COMPACT }),
    })
    assertDone(result, 'The long session does not reach the end')
    requests.push(...requestsOf(result))
    history = result.history
  }
  return requests
}

/** Serialize each request of a run: its messages, and everything else that the harness reports. */
export function requestsOf({ prompts }: ConversationResult): readonly string[] {
  return prompts.map(({ messages, system = '', toolNames, toolSchemas }) =>
    [messages, system, JSON.stringify(toolNames), JSON.stringify(toolSchemas)].join('\n'),
  )
}

/** Tools with results of all kinds, just over the limit. */
const SMALLER_TOOLS: Conversation['tools'] = [
  { name: 'read_log', call: (input) => ({ type: 'returns', content: [text(log(JSON.stringify(input), 60))] }) },
  returning('list_users', json(USERS.slice(0, 200))),
  returning('capture', text(log('the capture', 60)), media('image', 2_000)),
  behaving('build', { type: 'returns-error', text: log('the build', 60) }),
  returning('read_status', text('all is well')),
]

function turnOf(turn: number): ScriptedTurn {
  const id = `call_${turn}`
  switch (turn % 6) {
    case 0:
      return calling('read_log', { turn }, id)
    case 1:
      return calling('list_users', {}, id)
    case 2:
      return callingAll({ id, name: 'read_log', input: { turn } }, { id: `${id}_b`, name: 'read_status', input: {} })
    case 3:
      return searching(`call_${turn - 1}`, `retrieval_${turn}`, 'line 50 ')
    case 4:
      return calling('capture', {}, id)
    default:
      return calling('build', {}, id)
  }
}

function searching(toolCallId: string, id = 'retrieval_1', pattern = 'status=FAILED'): ScriptedTurn {
  return (prompt) => {
    const [reference] = referencesIn(lastResult(prompt, toolCallId))
    return retrieving({ reference, pattern }, id)
  }
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
