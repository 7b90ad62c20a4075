import { describe, expect, test } from 'vitest'
import { faultyPrimitives } from '../../../test/faulty-primitives.ts'
import { ATTACKS, isDetected } from '../../../test/sealed-attacks.ts'

describe('an encrypted storage', () => {
  test.each(ATTACKS.map((attack) => [attack.name, attack] as const))(
    'detects an attacker who %s',
    async (_name, attack) => {
      expect(await isDetected(attack)).toBe(true)
    },
  )
})

describe('the tests of attacks', () => {
  test.each(faultyPrimitives.map((faulty) => [faulty.name, faulty] as const))(
    'detect a storage that %s',
    async (_name, faulty) => {
      const missed: string[] = []
      for (const attack of ATTACKS) if (!(await isDetected(attack, faulty))) missed.push(attack.name)
      expect(missed).toEqual(expect.arrayContaining([...faulty.missed]))
    },
  )
})
