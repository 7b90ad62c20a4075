import { z } from 'zod'

export const remeAnswerSchema: z.ZodType = z
  .object({
    success: z.boolean(),
    answer: z.string(),
    messages: z.array(z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ReMeAnswer', description: 'The answer of every ReMe endpoint.' })

export const remeFailureSchema: z.ZodType = z
  .object({
    success: z.literal(false),
    answer: z.string().meta({ description: 'The error and its fix.' }),
    messages: z.array(z.unknown()).meta({ description: 'For `/context_offload`, the messages of the request.' }),
    metadata: z.object({
      error: z.object({ code: z.string().meta({ description: 'Stable, for programs.' }), retryable: z.boolean() }),
    }),
  })
  .meta({ id: 'ReMeFailure', description: 'Why a request to an endpoint of ReMe failed.' })

export const textAnswer = (answer: string, metadata: object): object => ({
  success: true,
  answer,
  messages: [],
  metadata,
})
