import { describe, expect, it } from 'vitest'
import { put, spillway, temporaryFolder } from '../../test/spillway.ts'

describe('a reference on the command line', () => {
  it('may be a unique prefix, or a position counted from the newest', async () => {
    const cwd = temporaryFolder()
    const one = await put('one', cwd, ['--name', 'npm'])
    await put('two', cwd, ['--name', 'cargo'])
    for (const [given, text] of [
      [one.slice(0, 6), 'one'],
      ['cargo', 'two'],
      ['last~1', 'one'],
    ] as const)
      expect(await spillway(['get', given], { cwd })).toMatchObject({ code: 0, stdout: text })
    expect(JSON.parse((await spillway(['stat', 'last', '--json'], { cwd })).stdout)).toMatchObject({ key: 'cargo' })
    expect(await spillway(['get', 'last~2'], { cwd })).toMatchObject({ code: 1 })
    expect(await spillway(['rm', 'npm'], { cwd })).toMatchObject({ code: 0 })
    expect(await spillway(['stat', one], { cwd })).toMatchObject({ code: 1 })
  })

  it('lists the matches if it is the prefix of several', async () => {
    const cwd = temporaryFolder()
    const references = [await put('one', cwd, ['--name', 'npm']), await put('two', cwd, ['--name', 'npm'])]
    const { code, stderr } = await spillway(['get', 'npm'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('npm matches the start of 2 references: ')
    for (const reference of references) expect(stderr).toMatch(new RegExp(`${reference} \\(npm, \\d+ s ago\\)`))
  })

  it('causes an error with the closest references if it is mistyped', async () => {
    const cwd = temporaryFolder()
    const reference = await put('one', cwd, ['--name', 'npm'])
    const { code, stderr } = await spillway(['get', `x${reference}`], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`Most similar: ${reference} (`),
    })
  })

  it('does not find entries of another scope', async () => {
    const cwd = temporaryFolder()
    await put('secret', cwd, ['--name', 'npm', '--scope', 'tenant'])
    for (const given of ['npm', 'last'])
      expect(await spillway(['get', given], { cwd })).toMatchObject({ code: 1, stdout: '' })
  })

  it('selects the newest entry if it is last, and get prints the preview of that entry', async () => {
    const cwd = temporaryFolder()
    const { stdout } = await spillway(['run', '--', 'seq', '1', '20000'], { cwd })
    expect(await spillway(['get', 'last'], { cwd })).toMatchObject({ code: 0, stdout })
  })
})
