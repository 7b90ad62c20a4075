import { Agent, type LocalAgent } from '@strands-agents/sdk'
import { expect, it } from 'vitest'
import { FakeModel } from '../test/fake-model.ts'
import { sessionManager } from '../test/scripted-agent.ts'
import { agentScope } from './run-scope.ts'

const model = new FakeModel(() => ({ text: 'done' }))
const scopeOf = (agent: Agent): readonly string[] => agentScope({ agent, invocationState: {} })

it('is the id of the session manager and that of the agent, in every process', () => {
  const agent = (id?: string): Agent =>
    new Agent({ model, ...(id && { id }), sessionManager: sessionManager('session-1') })
  expect(scopeOf(agent())).toEqual(['session-1', 'agent'])
  expect(scopeOf(agent())).toEqual(['session-1', 'agent'])
  expect(scopeOf(agent('writer'))).toEqual(['session-1', 'writer'])
})

it('is one of its own for each agent without a session manager, and stays', () => {
  const [first, second] = [new Agent({ model }), new Agent({ model })]
  expect(scopeOf(first)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'agent'])
  expect(scopeOf(first)).toEqual(scopeOf(first))
  expect(scopeOf(second)).not.toEqual(scopeOf(first))
})

it('takes an agent of which little is known', () => {
  expect(agentScope({ agent: { id: 'a' } as LocalAgent, invocationState: {} })).toHaveLength(2)
})
