import { z } from 'zod'
import { defineRoute, type Route } from '../routes/route.ts'

export const statsRoute: Route = defineRoute({
  method: 'get',
  path: '/v1/stats',
  operationId: 'stats',
  summary: 'Return the cost and savings of offloading, and the number of entries',
  description:
    "The figures are those of the caller's scope. Tokens are counted since this process began; entries are counted now.",
  tag: 'Results',
  responses: {
    200: {
      description: 'The numbers.',
      schema: z
        .object({
          meter: z.object({
            results: z.number(),
            failed: z.number(),
            shadowed: z.number(),
            tokensShadowed: z.number(),
            offloaded: z.number(),
            tokensAvoided: z.number(),
            tokensShown: z.number(),
            tokensRetrieved: z.number(),
            tokensNet: z.number(),
            retrievals: z.number(),
            bounceRate: z.number(),
          }),
          stored: z.object({ entries: z.number(), bytes: z.number() }),
        })
        .meta({ id: 'Stats' }),
    },
  },
  async handle(_input, { tenant, signal }) {
    const { offloader, storage } = tenant()
    let entries = 0
    let bytes = 0
    for await (const { size } of storage.list({ below: false, signal })) {
      entries += 1
      bytes += size
    }
    return { json: { meter: offloader.meter(), stored: { entries, bytes } } }
  },
})
