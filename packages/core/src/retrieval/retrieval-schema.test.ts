import { describe, expect, it } from 'vitest'
import { parseRetrievalInput } from './retrieval-input.ts'
import { retrievalDescription, retrievalInputSchema } from './retrieval-schema.ts'

const schemas = [retrievalInputSchema(true), retrievalInputSchema(false)]

describe('the schema of the retrieval tool', () => {
  it('is short, being paid for in every prompt', () => {
    // 518 tokens of o200k; the benchmark of answers counts them.
    for (const scope of [true, false])
      expect((retrievalDescription(scope) + JSON.stringify(retrievalInputSchema(scope))).length).toBeLessThan(2_500)
  })

  it('keeps to what every provider takes', () => {
    for (const schema of schemas)
      expect(JSON.stringify(schema)).not.toMatch(
        /"(?:anyOf|oneOf|allOf|not|\$ref|const|enum|pattern)":(?!\{)|"type":\[/,
      )
  })

  it('names the parameters that are taken, and speaks of a missing reference only where that can work', () => {
    const values: Readonly<Record<string, unknown>> = {
      reference: 'r',
      pattern: 'x',
      patterns: ['x'],
      line_range: { start: 1, end: 2 },
      context_lines: 1,
      ignore_case: true,
    }
    for (const name of Object.keys(schemas[0]!.properties)) {
      const reading = (): unknown => parseRetrievalInput({ reference: 'r', [name]: values[name] ?? null })
      expect(reading, name).not.toThrow()
    }
    expect(schemas[0]!.required).toEqual([])
    expect(schemas[1]!.required).toEqual(['reference'])
    expect(JSON.stringify(schemas[1]) + retrievalDescription(false)).not.toMatch(/everything|leave it out|without a/i)
  })
})
