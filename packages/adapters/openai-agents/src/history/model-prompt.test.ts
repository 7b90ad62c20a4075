import type { AgentInputItem, ModelInputData } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { joinPrompt, splitPrompt } from './model-prompt.ts'

type Item = AgentInputItem

const user = (content: string): Item => ({ role: 'user', content })
const system = (content: string): Item => ({ role: 'system', content })
const call = (callId: string): Item => ({
  type: 'function_call',
  callId,
  name: 'read',
  arguments: '{}',
  status: 'completed',
})
const result = (callId: string, text: string): Item =>
  ({ type: 'function_call_result', callId, name: 'read', status: 'completed', output: { type: 'text', text } }) as Item

const none: ReadonlySet<Item> = new Set()

describe('joinPrompt', () => {
  it('puts the instructions behind the system messages that the input begins with', () => {
    expect(joinPrompt({ input: [user('Go.')], instructions: 'Be brief.' })).toEqual([system('Be brief.'), user('Go.')])
    const input = [system('One.'), user('Go.'), system('Two.')]
    expect(joinPrompt({ input })).toEqual([system('One.'), system(''), user('Go.'), system('Two.')])
  })

  it('copies items, as those that came in may be changed', () => {
    const item = user('Go.')
    const [, copy] = joinPrompt({ input: [item] })
    expect(copy).toEqual(item)
    expect(copy).not.toBe(item)
  })
})

describe('splitPrompt', () => {
  const input = (): Item[] => [
    user('One.'),
    call('a'),
    result('a', 'long'),
    user('Two.'),
    call('b'),
    result('b', 'long'),
  ]

  it('takes the instructions out again', () => {
    const data: ModelInputData = { input: [user('Go.')], instructions: 'Be brief.' }
    const smaller = [system('Be brief. Summary.'), user('Go.')]
    expect(splitPrompt(data, smaller, none)).toEqual({ input: [user('Go.')], instructions: 'Be brief. Summary.' })
  })

  it('makes instructions where there were none only of a summary', () => {
    const data: ModelInputData = { input: [user('Go.')] }
    expect(splitPrompt(data, [system(''), user('Go.')], none)).toEqual({ input: [user('Go.')] })
    const summary = splitPrompt(data, [system('Summary.'), user('Go.')], none)
    expect(summary).toEqual({ input: [user('Go.')], instructions: 'Summary.' })
  })

  it('changes the items that came in where it may, and gives back those', () => {
    const data = { input: input() }
    const [one, , first] = data.input
    const smaller = joinPrompt(data).with(3, result('a', 'short'))
    const { input: items } = splitPrompt(data, smaller, new Set([first!]))
    expect(items[2]).toBe(first)
    expect(first).toEqual(result('a', 'short'))
    expect(items[0]).toEqual(one)
    expect(items[0]).not.toBe(one)
  })

  it('knows items again that stayed behind those that are gone', () => {
    const data = { input: input() }
    const [, , , two, b, resultOfB] = data.input
    const smaller = joinPrompt(data).toSpliced(1, 3)
    const { input: items } = splitPrompt(data, smaller, new Set(data.input))
    expect(items).toHaveLength(3)
    for (const [index, item] of [two, b, resultOfB].entries()) expect(items[index]).toBe(item)
  })

  it('leaves items as they are that did not come in', () => {
    const data = { input: [user('Go.')] }
    const made = call('made')
    const { input: items } = splitPrompt(data, [system(''), made, user('Go.')], new Set(data.input))
    expect(items[0]).toBe(made)
    expect(items[1]).toBe(data.input[0])
  })
})
