/** Words that name a secret, as in `--api-key`, `GITHUB_TOKEN`, or `password:`. */
const SECRET_NAME = '[\\w-]*(?:secret|token|key|pass|auth|credential|cookie)[\\w-]*'
const SECRETS: readonly RegExp[] = [
  // A name followed by its value: NAME=value, --name value, "name": "value".
  new RegExp(String.raw`(?<=${SECRET_NAME}["']?(?:=|:\s*|\s+)["']?)(?:(?:bearer|basic|token)\s+)?[^\s"']+`, 'gi'),
  /(?<=\b(?:bearer|basic)\s+)[^\s"']+/gi,
  // User and password in a URL, or after an option of curl.
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /(?<=(?:^|\s)(?:-u|--user)(?:=|\s*)["']?)[^\s"']+/g,
  // A long word of letters and digits looks random, unless it is a path or a word with dots.
  /(?<![\w./-])(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{20,}(?![\w./-])/gi,
]
const MOST_CHARACTERS = 400

/** Hide everything in a command line that may be a secret, even if some of it is not. */
export const redactCommand = (line: string): string =>
  SECRETS.reduce((text, secret) => text.replace(secret, '…'), line).slice(0, MOST_CHARACTERS)
