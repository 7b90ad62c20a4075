import { postgresSchema } from '@spillway/postgres'
import { expect, it } from 'vitest'
import { spillway } from '../../test/spillway.ts'

it('prints the tables of a schema, and with an option their policies', async () => {
  const printed = await spillway(['postgres', 'schema'])
  expect(printed).toMatchObject({ code: 0, stderr: '', stdout: postgresSchema() })
  const secured = await spillway(['postgres', 'schema', '--schema', 'agents', '--row-level-security'])
  expect(secured.stdout).toBe(postgresSchema({ schema: 'agents', rowLevelSecurity: true }))
  expect(secured.stdout).toContain('CREATE POLICY')
})
