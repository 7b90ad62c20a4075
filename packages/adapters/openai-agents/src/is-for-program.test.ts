import { expect, it } from 'vitest'
import { isForProgram } from './is-for-program.ts'

it('knows the calls of programs, and no other', () => {
  expect(isForProgram({ caller: { type: 'program', callerId: 'program_1' } })).toBe(true)
  for (const item of [
    {},
    { caller: undefined },
    { caller: null },
    { caller: 'program' },
    { caller: { type: 'direct' } },
  ])
    expect(isForProgram(item)).toBe(false)
})
