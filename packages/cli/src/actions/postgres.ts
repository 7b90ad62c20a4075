import type { Invocation } from '../commands/command.ts'
import { EXIT_CODE } from '../cli-error.ts'
import { print } from '../output.ts'
import { loadPostgres } from '../with-store.ts'

interface SchemaOptions {
  readonly schema?: string
  readonly rowLevelSecurity?: boolean
}

/** Run `spillway postgres schema`. */
export async function printSchema({ options }: Invocation<SchemaOptions>): Promise<number> {
  const { postgresSchema } = await loadPostgres()
  await print(postgresSchema(options))
  return EXIT_CODE.ok
}
