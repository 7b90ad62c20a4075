/** Tests results in a PlanAgent, which moves large texts to its own files. */
import { PlanAgent, type PlanAgentOptions } from '@voltagent/core'
import { expect, it } from 'vitest'
import { offloadHooks, offloadTools } from '../src/index.ts'
import {
  calling,
  createOffloader,
  LOG,
  OFFLOADED,
  referenceIn,
  retrieving,
  scriptedModel,
  storedText,
  textOf,
  toolOf,
  type ScriptedAgentOptions,
} from './scripted-agent.ts'

const IN_A = { conversationId: 'a' }
const HUGE = Array.from({ length: 3 }, () => LOG).join('\n')
const USERS = Array.from({ length: 9_000 }, (_, id) => ({ id, name: `user ${id}` }))
const readLog = toolOf('read_log', async () => HUGE)

function planAgent(
  options: ScriptedAgentOptions & { readonly toolResultEviction?: { readonly enabled: boolean } },
): PlanAgent {
  const settings: object = { name: 'plan', systemPrompt: 'Help.', memory: false, maxSteps: 20, planning: false }
  // The union of all agent options is too large for the compiler to spread.
  return new PlanAgent({ ...settings, ...(options as object) } as PlanAgentOptions)
}

it("results that the agent's eviction leaves are offloaded: texts up to its limit, and values of any size", async () => {
  const { offloader } = createOffloader()
  const { model, prompts } = scriptedModel(calling('read_log', 'read_part', 'list_users'))
  const own = [readLog, toolOf('read_part', async () => HUGE.slice(0, 70_000)), toolOf('list_users', async () => USERS)]
  await planAgent({ model, tools: offloadTools(own, offloader), hooks: offloadHooks(offloader) }).generateText(
    'Go.',
    IN_A,
  )
  const [log, part, users] = prompts[1]?.results.map(textOf) ?? []
  expect(HUGE.length).toBeGreaterThan(80_000)
  expect(log).toBe(
    'Tool result too large (27000 tokens). Content saved to /large_tool_results/call_0'.replace(
      '27000',
      String(Math.round(HUGE.length / 4)),
    ),
  )
  expect(part).toMatch(OFFLOADED)
  expect(users).toMatch(OFFLOADED)
})

it("all large results are offloaded if PlanAgent's eviction is off, and the program gets the originals", async () => {
  const { offloader } = createOffloader()
  const { model, prompts } = scriptedModel(calling('read_log'), retrieving({ pattern: 'FAILED' }))
  const tools = offloadTools([readLog], offloader)
  const hooks = offloadHooks(offloader)
  const agent = planAgent({ model, tools, hooks, toolResultEviction: { enabled: false } })
  const { steps } = await agent.generateText('Go.', IN_A)
  expect(textOf(prompts[1]?.results[0])).toMatch(OFFLOADED)
  expect(textOf(prompts[2]?.results[1])).toContain('1321')
  expect(steps[0]?.toolResults[0]?.output).toBe(HUGE)
})

it('files that the agent reads are unchanged with offload: false', async () => {
  const write = { id: 'call_0', name: 'write_file', input: { file_path: '/log.txt', content: HUGE.slice(0, 50_000) } }
  const read = { id: 'call_1', name: 'read_file', input: { file_path: '/log.txt' } }
  for (const offload of [true, false]) {
    const { offloader } = createOffloader({ tools: { read_file: { offload } } })
    const { model, prompts } = scriptedModel({ toolCalls: [write] }, { toolCalls: [read] })
    const agent = planAgent({
      model,
      tools: offloadTools([], offloader),
      hooks: offloadHooks(offloader),
    })
    await agent.generateText('Go.', IN_A)
    expect(OFFLOADED.test(textOf(prompts[2]?.results[1]))).toBe(offload)
  }
})

it("results of its general-purpose subagent are offloaded without that subagent's hooks", async () => {
  const { offloader } = createOffloader()
  const task = { id: 'call_0', name: 'task', input: { description: 'Read.', subagent_type: 'general-purpose' } }
  // Both agents share this model. The main agent calls it first, then the subagent.
  const { model, prompts } = scriptedModel({ toolCalls: [task] }, calling('read_log'), ({ results }) => ({
    text: `See ${referenceIn(results[0])}.`,
  }))
  const tools = offloadTools([readLog], offloader)
  const hooks = offloadHooks(offloader)
  const agent = planAgent({ model, tools, hooks, toolResultEviction: { enabled: false } })
  await agent.generateText('Go.', IN_A)
  const seen = prompts[2]?.results[0]
  expect(textOf(seen)).toMatch(OFFLOADED)
  expect(await storedText(offloader, referenceIn(seen), 'a')).toBe(HUGE)
})
