import { z } from 'zod'
import { retrievalFailure } from '../app/http-error.ts'
import { failureResponse } from '../app/call.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { contentBlockSchema, writeContentBlock } from './schemas.ts'

/** Document a parameter without checking it: the tool itself corrects small mistakes of models. */
const parameter = (type: string, description?: string, more?: object): z.ZodOptional<z.ZodUnknown> =>
  z.optional(z.unknown()).meta({ type, ...(description !== undefined && { description }), ...more })

const number = { type: 'number' }
const range = { properties: { start: number, end: number }, required: ['start', 'end'] }

export const retrieveRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/retrieve',
  operationId: 'retrieve',
  summary: 'Search or read stored content, like the tool retrieve_offloaded_content',
  description:
    'The body is the input of the tool, as the model wrote it. If the call fails, `message` is the text for the model.',
  tag: 'Results',
  body: z
    .looseObject({
      reference: parameter('string', 'If missing, pattern or query search all entries of the scope.'),
      pattern: parameter('string', 'Regular expression or keyword.'),
      line_range: parameter('object', undefined, range),
      byte_range: parameter('object', undefined, range),
      context_lines: parameter('number'),
      ignore_case: parameter('boolean'),
      json_path: parameter('string', 'JSONPath (RFC 9535).'),
      query: parameter('string', 'Words: returns the passages that match them best.'),
      sql: parameter('string', 'One SELECT (SQLite) from the table t.'),
      references: parameter('array', 'Entries whose tables sql reads as t1, t2.', { items: { type: 'string' } }),
      count_only: parameter('boolean'),
      from_end: parameter('boolean'),
      after: parameter('number', 'Continues a cut answer, which gives the number.'),
      wait_seconds: parameter('number', 'Waits for new lines of an open entry, at most 30 seconds.'),
    })
    .meta({ id: 'RetrievalInput' }),
  responses: {
    200: {
      description: 'The answer for the model.',
      schema: z
        .object({
          content: z.array(contentBlockSchema),
          matches: z.number().optional().meta({
            description: 'Total of matches, results, passages or rows. Absent if the call only read.',
          }),
          matchingLines: z
            .array(
              z.object({ reference: z.string(), line: z.number(), column: z.number().optional(), text: z.string() }),
            )
            .meta({ description: 'Lines with matches that the answer shows. Empty without a pattern or a query.' }),
          table: z
            .object({ columns: z.array(z.string()), rows: z.array(z.array(z.string().nullable())) })
            .optional()
            .meta({ description: 'Rows of SQL that the answer shows. Values are texts or null.' }),
          isComplete: z.boolean().meta({ description: 'Whether the answer is complete.' }),
          continuation: z
            .record(z.string(), z.unknown())
            .optional()
            .meta({ description: 'The input of a call that shows the rest.' }),
        })
        .meta({ id: 'RetrievalAnswer' }),
    },
  },
  failureStatuses: {
    404: 'Nothing is stored under the reference in this scope.',
    410: 'The entry was evicted.',
    416: 'The lines begin beyond the end.',
  },
  async handle({ body }, { tenant, signal, pause, call }) {
    const result = await tenant().offloader.retrievalTool.execute(body, { signal, pause })
    if (result.isError)
      return { response: await failureResponse(call, retrievalFailure(result.code, result.message)), memoryBytes: 0 }
    const { isError: _, content, ...fields } = result
    return { json: { content: content.map(writeContentBlock), ...fields } }
  },
})
