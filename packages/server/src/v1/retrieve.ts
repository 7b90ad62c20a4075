import { z } from 'zod'
import { retrievalFailure } from '../app/http-error.ts'
import { failureResponse } from '../app/call.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { contentBlockSchema, writeContentBlock } from './schemas.ts'

const texts = z.array(z.string()).max(100)

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
      reference: z
        .string()
        .optional()
        .meta({ description: 'Without it, pattern or query search everything in the scope.' }),
      pattern: z.string().optional().meta({ description: 'Regular expression or keyword.' }),
      line_range: z.object({ start: z.number(), end: z.number() }).optional(),
      byte_range: z.object({ start: z.number(), end: z.number() }).optional(),
      context_lines: z.number().optional(),
      ignore_case: z.boolean().optional(),
      json_path: z.string().optional().meta({ description: 'JSONPath (RFC 9535).' }),
      query: z.string().optional().meta({ description: 'Words to find the best passages for.' }),
      sql: z.string().optional().meta({ description: 'One SELECT (SQLite) over a stored table t.' }),
      references: texts.optional().meta({ description: 'Tables for sql, instead of reference: t1, t2.' }),
      count_only: z.boolean().optional(),
      from_end: z.boolean().optional(),
      after: z.number().optional().meta({ description: 'Continues a capped answer, as it says.' }),
    })
    .meta({ id: 'RetrievalInput' }),
  responses: {
    200: {
      description: 'The answer for the model.',
      schema: z
        .object({
          content: z.array(contentBlockSchema),
          matches: z
            .number()
            .optional()
            .meta({ description: 'Matches, results, passages or rows in all. Absent if the call only read.' }),
          matchingLines: z
            .array(
              z.object({ reference: z.string(), line: z.number(), column: z.number().optional(), text: z.string() }),
            )
            .meta({ description: 'Lines with matches that the answer shows. Empty without a pattern or a query.' }),
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
    410: 'It was stored, and was evicted.',
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
