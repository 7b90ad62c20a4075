import { expect, test } from 'vitest'
import { decodeHint, encodeHint } from './block-hint.ts'
import { BlockTable, MAX_BLOCK_BYTES } from './block-table.ts'

test('has no blocks that are larger than any that were written', () => {
  expect(BlockTable.of(2 * MAX_BLOCK_BYTES, MAX_BLOCK_BYTES, [100, 100])?.blocks).toBe(2)
  expect(BlockTable.of(MAX_BLOCK_BYTES + 1, MAX_BLOCK_BYTES + 1, [100])).toBeUndefined()
  expect(BlockTable.of(3e9, 4e9, [100])).toBeUndefined()
})

test('is not read from a hint of larger blocks', () => {
  const hint = encodeHint({ table: BlockTable.of(8_192, 4_096, [100, 100])! })
  expect(decodeHint(hint)?.table.blocks).toBe(2)
  expect(decodeHint(hint.replace('8192.4096', '6000000000.3000000000'))).toBeUndefined()
})
