import { expect, test } from 'vitest'
import { chooseBlocks, measureContent, type MeasuredBlock } from './measure-content.ts'

const text = (index: number, tokens: number): MeasuredBlock => ({
  block: { type: 'text', text: 'x' },
  index,
  tokens,
  text: 'x',
  isStorable: true,
})

test('stores the largest block first and keeps what fits beside the replacement', () => {
  const blocks = [text(0, 200), text(1, 9_000), text(2, 300)]
  expect(chooseBlocks(blocks, 2_500, 1_000).map(({ index }) => index)).toEqual([1])
})

test('goes on until the others and the replacement fit', () => {
  const blocks = [text(0, 2_000), text(1, 9_000), text(2, 100)]
  expect(chooseBlocks(blocks, 2_500, 1_000).map(({ index }) => index)).toEqual([0, 1])
})

test('never stores what cannot be stored', () => {
  const unknown: MeasuredBlock = { block: { type: 'unknown', value: {} }, index: 0, tokens: 9_000, isStorable: false }
  expect(chooseBlocks([unknown, text(1, 100)], 2_500, 1_000).map(({ index }) => index)).toEqual([1])
})

test('counts many empty blocks, and stores them', async () => {
  const content = Array.from({ length: 5_000 }, () => ({ type: 'text', text: '' }) as const)
  const blocks = await measureContent(content, 2_500, () => 0)
  expect(chooseBlocks(blocks, 2_500, 1_000).length).toBeGreaterThan(2_500)
})
