import { describe, expect, it } from 'vitest'
import { WantedWords, askedWords, preferTopic } from './wanted-words.ts'
import type { Item } from './preview-model.ts'
import { lineItem } from '../../test/line-item.ts'

describe('WantedWords', () => {
  it('finds words whatever their case, and no very short ones', () => {
    const words = new WantedWords(['Retry', 'ab'])
    expect(words.isIn('maxRETRYcount')).toBe(true)
    expect(words.isIn('about')).toBe(false)
    expect(new WantedWords([]).isIn('anything')).toBe(false)
  })
})

const item = (text: string): Item => lineItem({ text })

describe('askedWords', () => {
  it('takes the words of file names, of what is searched and of short arguments', () => {
    const input = {
      file_path: '/home/ada/telemetry-plan.md',
      description: 'Review the plan',
      token: 'abcdefghij',
      n: 3,
    }
    const intent = { paths: ['/home/ada/telemetry-plan.md'], words: ['retry'] }
    const subject = { toolName: 't', input, intent, contentType: 'text/plain', start: '', isWhole: true }
    expect(askedWords(subject)).toEqual(['telemetry', 'plan', 'retry', 'review'])
  })
})

describe('preferTopic', () => {
  it('lifts items with the words, save for words that most items have', () => {
    const items = [...Array.from({ length: 18 }, () => item('the plan')), item('Telemetry of the plan'), item('other')]
    preferTopic(items, ['telemetry', 'plan'])
    expect(items[18]!.value).toBeGreaterThan(1)
    expect([items[0]!.value, items[19]!.value]).toEqual([1, 1])
  })
})
