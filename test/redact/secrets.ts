/** Made-up secrets of each kind, put together from pieces so that no scanner of this repository trips over them. */

/** Letters and digits that look drawn by lot, the same in every run. */
export function randomText(length: number, alphabet: string, seed: number): string {
  let state = seed;
  let text = "";
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    text += alphabet[(state >>> 8) % alphabet.length];
  }
  return text;
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const lower = upper.toLowerCase();
const digits = "0123456789";
export const hex = `${digits}abcdef`;
export const alphanumeric = upper + lower + digits;
export const base64 = `${alphanumeric}+/`;

const word = (length: number, seed: number): string => `a1${randomText(length - 2, alphanumeric, seed)}`;
const block = (lines: number, seed: number): string =>
  Array.from({ length: lines }, (_, line) => randomText(64, base64, seed + line)).join("\n");
const pem = (name: string, seed: number): string =>
  `-----BEGIN ${name}PRIVATE KEY-----\nMII${block(12, seed)}\n-----END ${name}PRIVATE KEY-----`;
const jwt = (seed: number): string => `eyJ${word(30, seed)}.eyJ${word(60, seed + 1)}.${word(43, seed + 2)}`;

export interface KindExamples {
  readonly kind: string;
  /** The secret, and the text that holds it. */
  readonly secrets: readonly { readonly secret: string; readonly text: string }[];
  readonly harmless: readonly string[];
}

const alone = (secret: string): { secret: string; text: string } => ({ secret, text: secret });
const within = (before: string, secret: string, after = ""): { secret: string; text: string } => ({
  secret,
  text: before + secret + after,
});

export const KINDS: readonly KindExamples[] = [
  {
    kind: "private-key",
    secrets: [
      alone(pem("", 1)),
      within("cat id_rsa\n", pem("RSA ", 2), "\n$ "),
      within('{"key":"', pem("EC ", 3).replaceAll("\n", "\\n"), '"}'),
      within("log cut here: ", pem("OPENSSH ", 4).slice(0, 400)),
    ],
    harmless: [
      "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
      `-----BEGIN PUBLIC KEY-----\n${block(4, 9)}\n-----END PUBLIC KEY-----`,
      `-----BEGIN CERTIFICATE-----\n${block(8, 10)}\n-----END CERTIFICATE-----`,
    ],
  },
  {
    kind: "aws-key",
    secrets: [
      alone(`AKIA${randomText(16, upper + digits, 5)}`),
      within("aws_access_key_id = ", `ASIA${randomText(16, upper + digits, 6)}`, "\n"),
      within('["', `AKIA${randomText(16, upper + digits, 7)}`, '"]'),
    ],
    harmless: [
      ["AKIA", "IOSFODNN7", "EXAMPLE"].join(""),
      `xAKIA${randomText(16, upper + digits, 5)}`,
      `AKIA${randomText(12, upper, 8)}`,
    ],
  },
  {
    kind: "password",
    secrets: [
      within("aws_secret_access_key = ", `w1${randomText(38, base64, 11)}`, "\n"),
      within("export DB_PASSWORD=", "tr0ub4dor-Zx9!kq"),
      within('{"client_secret": "', word(24, 12), '"}'),
      within("?access_token=", word(32, 13), "&x=1"),
      within("apiKey: '", word(20, 14), "',"),
      within("password: ", "Tr0ub4dor&3", "\n"),
      within('SECRET_KEY="', "django-insecure-9x!k2#m8$q4^w7&e1", '"'),
      within('password = "', "p4ss,with;<signs>&(more)", '"'),
      within('{\\"dbPass\\": \\"', "S3cr3tPw98", '\\"}'),
      within('auth: { user: "x", pass: "', "S3cr3tPw98", '" }'),
      within("DB_PASS='", "correct horse battery", "'"),
      within('export SMTP_PASSWORD="', "letmein", '"'),
      within("ADMIN_PASSWD=`", "open sesame", "`"),
      within("API_TOKEN='", "some thing", "'"),
      within("db_pass='", "correct horse battery", "'"),
      within('DB_PASSWORD: "', "correct horse battery", '"'),
      within("TOKEN=", "a1b2c3d4e5f6", "&& make"),
      within("curl -u admin:", "S3cr3tPw98", " http://x"),
      within("curl -sSu 'admin:", "S3cr3t Pw98", "' http://x"),
      within("curl -uadmin:'", "S3cr3t Pw98", "' http://x"),
      within("curl --user admin:", "letmein", " http://x"),
      within('curl --user="admin:', "a:b c", '" http://x'),
      within('curl "http://x/?a=1&b=2" --proxy-user me:', "S3cr3tPw98", ""),
      within("curl http://x \\\n  -U me:", "S3cr3tPw98", " -v"),
      within('bash -c "curl -u me:', "S3cr3tPw98", ' http://x"'),
      within("mysql -u root -p", "S3cr3tPw99", " db"),
      within("mysqldump -uroot -p'", "S3cr3t Pw99", "' --all-databases"),
      within("/usr/bin/mariadb --password=", "letmein", " < dump.sql"),
      within("docker exec db mariadb-dump --password='", "open sesame", "' shop"),
      within("machine x login y password ", "zzTop99Xq"),
      within("machine db.example.net\n  login me\n  password ", "letmein", "\n"),
      within('default login me account x password "', "zzTop99Xq", '"'),
    ],
    harmless: [
      "const password = await readPassword(prompt2);",
      "password: string; token: AccessToken2;",
      "apiKey: process.env.API_KEY_2,",
      "PASSWORD=changeme123",
      "tokenCount=12345678901",
      "secret=${VAULT_SECRET_1}",
      "password: required",
      "password: string",
      "the password is checked",
      "token: Token",
      "secret: true",
      "const password = getPassword()",
      "password: process.env.DB_PASSWORD",
      "password = null",
      "PASSWORD=$DB_PASSWORD",
      'PASSWORD="$DB_PASSWORD"',
      "PASSWORD=${X}",
      'PASSWORD="${X}"',
      'PASSWORD="$pw"',
      'PASSWORD="$(cat /run/secrets/db1)"',
      "DB_PASSWORD='required'",
      "DB_PASSWORD=''",
      'DB_PASSWORD="<your password>"',
      "TOKEN='[redacted:jwt] x'",
      "type Login = { password: string; token?: Token2 | undefined; secret: Uint8Array };",
      "password: z.string().min(8).max(64)",
      'if (password === other1.password2) throw new Error("password: must have 8 characters");',
      'password: "must have 8 characters or more",',
      'INVALID_TOKEN = "unexpected end of input"',
      'NOT_FOUND_TOKEN: "no such thing"',
      'RESET_PASSWORD: "we sent a mail"',
      "bypass: abc12345xyz",
      "compass=abc12345xyz",
      "PASS: test-connect-22",
      "input[type=password]:focus { color: #a1b2c3d4; }",
      "--color-token: #a1b2c3d4;",
      "--token: 8px;",
      "gcc a.c -pthread",
      "-p 8080",
      "docker run -p 80:80 nginx",
      "mkdir -p dir",
      "ssh -p2222 host",
      "curl -u $USER:$PASS http://x",
      'curl -u "$user:$pass" http://x',
      "curl -u user:password http://x",
      "curl -u me http://x",
      "curl -u : --negotiate http://x",
      "curl --user-agent me:S3cr3tPw98 http://x",
      "curl http://x | docker run -u 1000:1000 img",
      "curl http://x; run -u a:b1c2d3",
      "mysql -u root -p shop",
      "mysql -p$PASS",
      'mysql -p"${PASS}"',
      "mysql -ppassword",
      "mysql -P3306",
      "docker run --name mysql -p3306:3306 mysql:8",
      "gcc --with-mysql -pthread",
      "g++ -lmysql -pthread",
      "the machine requires login and password protection",
      "machine x login y password $PASSWORD",
    ],
  },
  {
    kind: "github-token",
    secrets: [
      alone(`ghp_${word(36, 21)}`),
      within("git clone https://", `ghs_${word(36, 22)}`, "@github.com/a/b"),
      within("GH=", `github_pat_${word(82, 23)}`, "\n"),
      within("a\\n", `gho_${word(36, 24)}`),
    ],
    harmless: ["ghp_short", `xghp_${word(36, 21)}`, `github_pat_${word(20, 25)}`],
  },
  {
    kind: "gitlab-token",
    secrets: [
      alone(`glpat-${word(20, 31)}`),
      within("PRIVATE-TOKEN: ", `glptt-${word(40, 32)}`),
      within("deploy ", `gldt-${word(20, 33)}`, " done"),
    ],
    harmless: ["glpat-short", `xglpat-${word(20, 31)}`, "glrt-runner"],
  },
  {
    kind: "npm-token",
    secrets: [
      alone(`npm_${word(36, 41)}`),
      within("//registry/:", `_authToken=${word(36, 42)}`, "\n"),
      within("NPM=", `npm_${word(36, 43)}`),
    ],
    harmless: ["npm_config_registry", `_authToken=\${NPM_TOKEN}`, `npm_${word(12, 44)}`],
  },
  {
    kind: "slack-token",
    secrets: [
      alone(`xoxb-${randomText(12, digits, 51)}-${randomText(12, digits, 52)}-${word(24, 53)}`),
      within("url: ", `https://hooks.slack.com/services/T${word(8, 54)}/B${word(8, 55)}/${word(24, 56)}`),
      within("app ", `xapp-1-A${word(10, 57)}-${randomText(13, digits, 58)}-${word(64, 59)}`),
    ],
    harmless: ["xoxb-", "https://hooks.slack.com/services/", "xapp-something"],
  },
  {
    kind: "stripe-key",
    secrets: [
      alone(`sk_live_${word(24, 61)}`),
      within("STRIPE=", `rk_test_${word(99, 62)}`, "\n"),
      within('"', `whsec_${word(32, 63)}`, '"'),
    ],
    harmless: [`pk_live_${word(24, 64)}`, "sk_test_", `task_live_${word(24, 61)}`],
  },
  {
    kind: "google-key",
    secrets: [
      alone(`AIza${word(35, 71)}`),
      within("?key=", `AIza${word(35, 72)}`, "&v=3"),
      within('"', `AIza${word(35, 73)}`, '"'),
    ],
    harmless: [`AIza${word(20, 74)}`, `AIza${word(60, 75)}`, `${word(20, 76)}AIza${word(35, 77)}`],
  },
  {
    kind: "google-token",
    secrets: [
      alone(`ya29.${word(60, 81)}`),
      within("secret ", `GOCSPX-${word(28, 82)}`, ","),
      within("x: ", `ya29.${word(120, 83)}`),
    ],
    harmless: ["ya29.", "GOCSPX-short", `maya29.${word(40, 84)}`],
  },
  {
    kind: "openai-key",
    secrets: [
      alone(`sk-${word(20, 91)}T3BlbkFJ${word(20, 92)}`),
      within("key ", `sk-proj-${word(74, 93)}T3BlbkFJ${word(74, 94)}`),
      within("key ", `sk-svcacct-${word(50, 95)}`),
    ],
    harmless: ["sk-proj-", "risk-proj-management-of-the-largest-kind-1234567890-abcdefgh", "T3BlbkFJ"],
  },
  {
    kind: "anthropic-key",
    secrets: [
      alone(`sk-ant-api03-${word(93, 101)}AA`),
      within("x-api-key: ", `sk-ant-oat01-${word(60, 102)}`),
      within("=", `sk-ant-admin01-${word(40, 103)}`),
    ],
    harmless: ["sk-ant-", "sk-ant-api03-short", "sk-antelope-and-other-animals-of-the-plains"],
  },
  {
    kind: "openrouter-key",
    secrets: [11, 12, 13].map((seed) => within("key: ", `sk-or-v1-${randomText(64, hex, seed)}`)),
    harmless: ["sk-or-v1-", `sk-or-v1-${randomText(20, hex, 9)}`, `task-or-v1-${randomText(64, hex, 9)}`],
  },
  {
    kind: "api-key",
    secrets: [21, 22, 23].map((seed) => within("use ", `sk-${word(32 + seed, seed)}`, ".")),
    harmless: [`disk-${word(40, 24)}`, "sk-learn", `sk-${"a".repeat(40)}`],
  },
  {
    kind: "jwt",
    secrets: [alone(jwt(111)), within("token is ", jwt(114), "."), within("cookie=", jwt(117), ";")],
    harmless: ["eyJhbGciOiJIUzI1NiJ9", `eyJ${word(40, 118)}`, "eyJa.eyJb.c"],
  },
  {
    kind: "bearer-token",
    secrets: [
      within("Authorization: Bearer ", word(40, 121)),
      within('-H "authorization: bearer ', word(24, 122), '"'),
      within("Bearer ", `${word(50, 123)}==`, "\n"),
    ],
    harmless: ["Bearer token", "the bearer of-this-very-long-compound-word", "Bearer ${accessToken1234567890abc}"],
  },
  {
    kind: "url-password",
    secrets: [
      within("postgres://app:", "s3cr3t-pw", "@db.internal:5432/x"),
      within("https://me:", "hunter22", "@example.org/"),
      within("redis://:", "p4ss!word", "@127.0.0.1:6379"),
    ],
    harmless: [
      "https://user:password@example.com/",
      "https://${user}:${pass}@host/",
      "https://example.com:8080/@scope/name",
    ],
  },
];
