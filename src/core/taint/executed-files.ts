import { type Ground, locate } from '../gate/place.ts';

/** Files of a project that say what is run, by name in lower case. */
const NAMES: ReadonlySet<string> = new Set(
  (
    'package.json package-lock.json pnpm-workspace.yaml turbo.json nx.json lerna.json deno.json deno.jsonc makefile gnumakefile justfile .justfile ' +
    'taskfile.yml taskfile.yaml rakefile gemfile guardfile fastfile build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew mvnw ' +
    'pom.xml build.xml build.sbt build.rs cargo.toml build.zig mix.exs setup.py setup.cfg pyproject.toml tox.ini noxfile.py conftest.py pytest.ini ' +
    'manage.py tasks.py fabfile.py cmakelists.txt configure meson.build wscript sconstruct dockerfile containerfile vagrantfile procfile ' +
    'docker-compose.yml docker-compose.yaml compose.yml compose.yaml jenkinsfile .gitlab-ci.yml .travis.yml appveyor.yml azure-pipelines.yml ' +
    'bitbucket-pipelines.yml .drone.yml cloudbuild.yaml .pre-commit-config.yaml lefthook.yml .lintstagedrc .gitattributes .babelrc .eslintrc ' +
    '.mocharc.js .mocharc.cjs .mocharc.json .nvmrc .tool-versions mise.toml .mise.toml flake.nix default.nix shell.nix agents.md claude.md ' +
    'gemini.md .cursorrules .windsurfrules copilot-instructions.md'
  ).split(' '),
);

const FOLDERS =
  /\/(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.cursor|\.git|\.husky|\.githooks|hooks|bin|scripts?)\//;
const PATTERNS =
  /\.(?:sh|bash|zsh|fish|bat|cmd|ps1|mk|make|gradle|service|timer|desktop)$|(?:^|\.)config\.(?:[cm]?[jt]s|json|toml|ya?ml)$|^\.eslintrc\.|^\.babelrc\.|^dockerfile\.|^requirements.*\.txt$|^\.env(?:\.|$)/;

/** True for a file that is run, or that says what is run, sooner or later: by a task, by a hook, by another machine, by the next model. */
export function isExecuted(path: string, ground: Ground): boolean {
  if (locate(path, null, ground).isGuarded) return true;
  const folded = path.toLowerCase();
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  const below = folded.startsWith(`${ground.project.toLowerCase()}/`) ? folded.slice(ground.project.length) : folded;
  return NAMES.has(name) || PATTERNS.test(name) || FOLDERS.test(below);
}
