/** Lines as users type them that hold nothing secret, though much in them is a hash, an id or a name with figures. */
export const ORDINARY_LINES: readonly string[] = `
ls -la
cd ~/src/site2024
git status
ssh-keygen -lf k.pub | grep 'SHA256:ki3dykWRb8LoFuOqfKGIyRuuJjx9S7uGi1Ljfk9nvFa'
kubectl delete pod ingress-nginx-controller-7x9f8bwz5d-x2x9k payments-worker-6k7m4qz8vb-9hq4t
ipfs get bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi
bitcoin-cli getaddressinfo bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq
docker run -u 1000 -p 8080:80 4f9d2c1b7a4f9d2c1b7a4f9d2c1b7a4f9d2c1b7a4f9d2c1b7a4f9d2c1b7a1234
vim src/payments/PaymentIntentReconciliationServiceV2Test.java
nix-store -q --references /nix/store/8x0a8ncx3nq8hjvl6nyw6zm3zfmzq4kl-hello-2.12.1
git checkout 9fceb02d0ae598e95dc970b74767f19372d61af8
git show 9fceb02
git log --oneline -p -20 HEAD~3..main
git revert a1b2c3d4e5f6
git cherry-pick -x 4f9d2c1b7a
git rebase -i 7c3e1f0a9b^
git bisect bad 0123456789abcdef0123456789abcdef01234567
git checkout -b feature/JIRA-1234-fix-login2fa
git switch release/v2.14.3-rc1
git branch -D bugfix/oauth2-token-refresh-42
git push origin feature/PROJ-991-password-reset
git push -u origin add-2fa-login
git merge --no-ff dependabot/npm_and_yarn/webpack-5.94.0
git commit -m "Reset the password flow for user 42"
git commit -am "fix: token refresh in auth2"
git commit -m 'secret: rotate key names'
git commit -m "Bump node18 to node20 in Dockerfile"
git tag -a v1.2.3 -m "release 1.2.3"
git stash apply stash@{2}
git clone https://github.com/torvalds/linux.git
git clone git@github.com:a1b2/c3d4e5.git
git remote add origin git@gitlab.example:group/project2.git
git diff 3f2a9c1..8e7d6b5 -- src/auth/token.ts
git log --author=bob@example.com --since=2024-01-01
git log -S "password" --oneline
git grep -n "api_key" -- '*.ts'
git blame -L 10,20 src/secrets/matcher.ts
git config user.email bob99@example.com
git config --global core.editor "vim -u NONE"
git fetch origin pull/1234/head:pr-1234
git worktree add ../hotfix-20240501 main
git submodule update --init --recursive
git archive --format=tar.gz -o site-20240501.tgz HEAD
git reset --hard ORIG_HEAD
git format-patch -1 5d41402abc4b2a76b9719d911017c592
git verify-commit d41d8cd98f00b204e9800998ecf8427e
git cat-file -p 4b825dc642cb6eb9a060e54bf8d69288fbee4904
docker ps -a
docker rm 3f4e5d6c7b8a
docker rm -f 3f4e5d6c7b8a9f0e1d2c3b4a59687f6e5d4c3b2a190f8e7d6c5b4a3928171605
docker logs -f 9c2b7e4a1d3f
docker exec -it a1b2c3d4e5f6 bash
docker inspect 123e4567-e89b-12d3-a456-426614174000
docker volume rm 7d9f8b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a
docker pull node@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
docker pull registry.example:5000/team/app:20240501-9fceb02
docker run -p 8080:80 -p 8443:443 nginx:1.25-alpine
docker run --rm -it -u 1000:1000 -v "$PWD":/work -w /work node:20 npm test
docker run --name web01prod -d -e NODE_ENV=production -e PORT=3000 web:v2
docker run -e POSTGRES_USER=app -e POSTGRES_DB=shop2024 postgres:16
docker compose -p shop2024 up -d
docker build -t app:$(git rev-parse --short HEAD) --build-arg VERSION=1.2.3 .
docker tag app:latest registry.example/app:2024.05.01-build1234
docker login registry.example
docker login -u bob ghcr.io
docker service rm x3ti0erg11rjpg64m75kej2mz
docker secret ls
docker secret rm x3ti0erg11rjpg64m75kej2mz
docker network create --subnet 172.18.0.0/16 net2
kubectl get pods -n kube-system
kubectl logs web-5d4f8c7b9-x2x7q -c app --tail=100
kubectl delete pod api-7d9f8b6c5d-k4p2m
kubectl exec -it worker-6b9c7d8f5-zz9lq -- sh
kubectl get secret my-secret-5f4d3c2b1a -o yaml
kubectl get secrets
kubectl describe secret default-token-7xk2p
kubectl delete secret db-credentials-v2
kubectl create secret tls web --cert=tls.crt --key=tls.key
kubectl create secret generic files --from-file=ssh-privatekey=id_rsa2
kubectl create configmap app --from-literal=level=debug --from-file=config2.yaml
kubectl apply -f deploy/2024-05-01-web.yaml
kubectl set image deploy/web app=registry.example/app:1.2.3-9fceb02
kubectl port-forward svc/web 8080:80
kubectl rollout undo deploy/web --to-revision=12
kubectl config use-context arn:aws:eks:eu-west-1:123456789012:cluster/prod1
helm upgrade web ./chart --set image.tag=20240501.3 --version 4.7.2
helm install redis bitnami/redis --set auth.enabled=false --set auth.existingSecret=redis-auth2
aws s3 cp s3://bucket-2024/path/file1.csv .
aws s3 ls s3://logs-prod-eu1/AWSLogs/123456789012/
aws ec2 describe-instances --instance-ids i-0abc123def4567890
aws ec2 terminate-instances --instance-ids i-1234567890abcdef0
aws ec2 run-instances --image-id ami-0c55b159cbfafe1f0 --key-name bob2024 --subnet-id subnet-9d4a7b6c
aws cloudfront create-invalidation --distribution-id E1A2B3C4D5E6F7 --paths '/*'
aws route53 list-resource-record-sets --hosted-zone-id Z1D633PJN98FT9
aws sts assume-role --role-arn arn:aws:iam::123456789012:role/admin2 --role-session-name bob
aws secretsmanager get-secret-value --secret-id prod/db/main2
aws secretsmanager list-secrets
aws ssm get-parameter --name /prod/db/password --with-decryption
aws logs tail /aws/lambda/fn-prod-2 --since 1h
aws lambda invoke --function-name resize2024 out.json
aws kms decrypt --key-id 1234abcd-12ab-34cd-56ef-1234567890ab --ciphertext-blob fileb://x.bin
aws --profile prod2 sso login
gcloud config set project my-project-123456
gcloud compute ssh vm-prod-01 --zone europe-west1-b
gcloud auth login
gcloud secrets versions access latest --secret=db-main2
gcloud container clusters get-credentials prod1 --region europe-west1
az login
az group list -o table
az keyvault secret show --vault-name kv-prod1 --name db2
az account set --subscription 0b1f6471-1bf0-4dda-aec3-cb9272f09590
az vm start -g rg-prod-01 -n web01
terraform init
terraform apply -var region=eu-west-1 -var instance_type=t3.micro
terraform import aws_instance.web i-0abcd1234efgh5678
terraform import aws_cloudfront_distribution.d E74FTE3EXAMPLE
terraform state rm 'module.db.aws_db_instance.main[0]'
terraform plan -out=tfplan20240501
ansible-playbook -i inventory/prod2.ini site.yml --limit web01 --tags deploy
ansible-vault edit group_vars/all/vault2.yml
vault kv get secret/app/prod2
vault login -method=oidc
vault status
vault token lookup
gh pr view 1234 --web
gh pr checkout 4321
gh run view 9182736455 --log-failed
gh run watch 9182736455
gh auth status
gh auth login --hostname github.example
gh api repos/org/app2/pulls/42/comments
gh release create v2.0.1 dist/app-2.0.1-linux-x64.tar.gz
gh secret list
gh secret delete DEPLOY_KEY2
gh gist clone 5b0e0062eb8e9654adad7bb1d81cc75f
npm install react@18.2.0 --save-exact
npm i -D @types/node@20.11.5 typescript@5.4.5
npm run build:prod2
npm view left-pad dist.integrity
npm login
npm token list
npm audit fix
npm config set registry https://registry.example/npm2/
npx create-react-app my-app2
yarn add lodash@4.17.21
pnpm dlx degit user1/repo2#v3 app
pip install requests==2.31.0 numpy==1.26.4
pip install -r requirements-py311.txt
pip install torch --index-url https://download.pytorch.org/whl/cu121
poetry add django@^4.2
cargo install ripgrep --version 14.1.0
cargo login
cargo run --release -- --bench sha256
go get golang.org/x/crypto@v0.21.0
go install github.com/a/b/cmd/c@v0.0.0-20240501120000-9fceb02d0ae5
go test -run TestParseToken2 ./internal/auth/...
go test -run TestBase64DecodeInvalidInput2 ./...
brew install openssl@3 node@20
apt-get install -y libssl3 python3.11-venv linux-image-6.1.0-18-amd64
sudo apt install ./google-chrome-stable_current_amd64.deb
sudo -u postgres psql -c 'SELECT 1'
sudo -S -v
sudo -i
sudo -k
apt-key adv --keyserver keyserver.ubuntu.com --recv-keys 0xF1656F24C74CD1D8
gpg --recv-keys 5E4C9A1B7D3F2A60
gpg --verify SHA256SUMS.asc SHA256SUMS
gpg -d backup-20240501.tar.gpg
gpg --export -a 0x4AEE18F83AFDEB23
ssh bob@web01.example -p 2222
ssh -i ~/.ssh/id_ed25519_2024 -L 8080:localhost:80 bob@10.0.0.12
ssh -o StrictHostKeyChecking=no ubuntu@ec2-52-14-3-9.us-east-2.compute.amazonaws.com
scp -P 2222 report_2024Q1.pdf bob@host:/srv/files/
sftp -P 22 bob@host01.example
ssh-keygen -t rsa -b 4096 -C "bob@laptop2024" -f ~/.ssh/id_work2
ssh-keygen -lf ~/.ssh/id_ed25519.pub
ssh-copy-id -i ~/.ssh/id_rsa2.pub bob@host
ssh-add ~/.ssh/id_ed25519_sk2
rsync -avzP --delete dist/ bob@web01:/var/www/site2/
curl -sSL https://install.python-poetry.org | python3 -
curl -I https://example.com/assets/app.4f9d2c1b.js
curl -o Ubuntu-22.04.4-live-server-amd64.iso https://x.example/Ubuntu-22.04.4.iso
curl -X POST -H "Content-Type: application/json" -d '{"name":"bob2","level":3}' http://localhost:3000/api
curl -H "Accept: application/vnd.github.v3+json" https://api.github.com/repos/a/b
curl -H "If-None-Match: W/\\"5d8c72a5edda8d6a\\"" https://x.example
curl "https://api.example.com/v1/items?page=2&limit=100&sort=name"
curl "https://x.example/search?q=token+refresh&lang=en"
curl -u bob https://x.example
curl --compressed -k https://localhost:8443/healthz
curl localhost:9200/_cat/indices?v
wget https://releases.example/node-v20.11.1-linux-x64.tar.xz
wget -qO- https://x.example/a1b2c3d4.txt
wget --user-agent="Mozilla/5.0 (X11; Linux x86_64)" https://x.example
http GET localhost:8000/items id==42
mysql -u root -p shop
mysql -h db01.example -P 3306 -u app -p
mysqldump -u root -p shop2024 > shop2024-05-01.sql
psql -h localhost -p 5433 -U app -d shop2024
psql -c "SELECT id, token FROM sessions WHERE user_id = 42"
psql -c "\\\\d users" shop
pg_dump -Fc -f shop_20240501.dump shop
sqlite3 app.db "SELECT count(*) FROM users WHERE password IS NULL"
redis-cli -h cache01 -p 6380 get user:1234:session
redis-cli KEYS 'session:*'
mongosh --port 27018 shop2
mongodump -d shop2024 -o dump20240501
sqlplus /nolog
7z x archive2024.7z -oout2024
7z a -mx=9 backup20240501.7z docs2
unzip photos-2023-12-24.zip -d photos2023
zip -r9 site20240501.zip dist
tar -xzvf node-v20.11.1-linux-x64.tar.gz -C /opt
tar czpf home2-20240501.tgz /home/bob2
rar x movie.part01.rar
mkdir -p build2024release01/x86_64
mkdir -p src/core/secrets2/v1beta1
cp -p IMG_20240501_123456.jpg ~/Snapshots/2024/
mv Screenshot2024-05-01at12.34.56.png screens/
mv 'Bank Statement 2024-05.pdf' archive/
rm -rf node_modules dist2 .cache/9fceb02d
cat /tmp/tmp.aB3dE5gH7j/log.txt
cat ~/Downloads/invoice_INV20240501A.pdf
less /var/log/nginx/access.log.20240501.gz
tail -f /var/log/syslog.1
grep -rn "password" src/
grep -rnw 'secretKey' --include=*.ts .
grep -P '^\\d{4}-\\d{2}$' dates2024.txt
grep -E 'token[0-9]+' -r config2/
rg "api[_-]?key" -g '*.yaml'
rg -n 'AccessToken\\b' src/auth2
find . -name '*.key' -mtime -7
find / -perm -4000 -type f 2>/dev/null
sed -i 's/foo1/Bar2Baz3/g' config.yaml
sed -n '10,20p' file2.txt
awk -F: '{print $1, $3}' /etc/passwd
awk '{sum+=$2} END {print sum/NR}' data2024q1.csv
cut -d: -f1 /etc/passwd
sort -k2,2n -k1,1 data1.tsv
jq '.items[0].metadata.name' out2.json
jq -r '.token' login.json
jq '.dependencies["@babel/core"]' package.json
date +%Y%m%dT%H%M%S
date -d @1714567890
ps -p 12345 -o pid,cmd
ps aux | grep token2
kill -9 28471
lsof -i :8080
netstat -tulpn
ss -ltnp sport = :443
nmap -p 1-65535 -sV 10.0.0.0/24
ping -c 4 8.8.8.8
dig +short TXT _dmarc.example.com @1.1.1.1
traceroute6 2001:4860:4860::8888
ip addr show eth0
ip link set dev wg0 up
wg show wg0
nmcli device wifi connect HomeNet5G
nmcli connection up Office-2024
ifconfig en0 ether 02:42:ac:11:00:02
arp -a 192.168.1.254
make -j8 -k test2
make VERSION=1.2.3-rc4 release
make CFLAGS="-O2 -march=x86-64-v3" all
cmake -B build2 -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON
gcc -o main2 main.c -lm -std=c11
python3 -m venv .venv311
python -c "import hashlib; print(hashlib.sha256(b'a').hexdigest())"
python manage.py migrate auth 0012_alter_user_first_name_max_length
python train.py --lr 3e-4 --batch-size 128 --seed 42 --exp run20240501a
python manage.py changepassword bob
python -m pytest tests/test_auth2.py::test_token_refresh_2 -k "not slow"
node --max-old-space-size=8192 build2.mjs
node -e 'console.log(process.versions.v8)'
node -e "console.log(crypto.randomUUID())"
deno run --allow-net=api.example server2.ts
bun test --isolate src/core/secrets/matcher.test.ts
tsc -p tsconfig.build2.json
eslint src --ext .ts,.tsx --max-warnings 0
jest -t "parses OAuth2 tokens" src/auth
sha256sum ubuntu-22.04.4-desktop-amd64.iso
sha256sum -c <<< "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae  foo.txt"
echo "d41d8cd98f00b204e9800998ecf8427e  file1.bin" | md5sum -c
echo "aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXN0" | base64 -d
echo 'export PATH=$HOME/.local/bin2:$PATH' >> ~/.bashrc
echo "Hello World 2024" > hello2.txt
echo $TOKEN | wc -c
echo $PASSWORD | sudo -S ls
echo "$DB_PASS" | docker login --password-stdin -u bob
printf '%s\\n' "$PW" | kinit bob
cat pw.txt | docker login -u bob --password-stdin ghcr.io
sudo -S ls < pw2.txt
openssl rand -base64 32
openssl dgst -sha256 -hex release-1.2.3.tar.gz
openssl x509 -in server2.crt -noout -text
openssl s_client -connect mail01.example:993 -servername mail01.example
openssl req -newkey rsa:2048 -nodes -keyout server2.key -out server2.csr
openssl enc -aes-256-cbc -pass file:pw2.txt -in a -out b
openssl pkcs12 -in cert2024.p12 -nodes -passin env:P12PASS
pass show work/site2
pass generate -n web/site2024 24
pass insert web/site2024
man passwd
passwd bob2
sudo passwd -l bob2
chage -l bob2
su - bob2
useradd -m -s /bin/zsh -G sudo,docker bob2024
id bob2
login
keytool -list -keystore release2024.jks -alias key0
adb shell pm list packages com.example.app2
adb -s emulator-5554 install app-release-v2.apk
adb install -r app-debug-androidTest2.apk
flutter build apk --release --build-number=20240501
xcodebuild -scheme App2 -destination 'platform=iOS Simulator,name=iPhone 15 Pro,OS=17.4'
xcrun simctl boot 7A8B9C0D-1E2F-4A5B-8C9D-0E1F2A3B4C5D
ffmpeg -i in_1080p60.mp4 -c:v libx264 -crf 23 -b:a 192k out_h264.mp4
yt-dlp https://www.youtube.com/watch?v=dQw4w9WgXcQ
yt-dlp -f 'bestvideo[height<=1080]+bestaudio' https://youtu.be/dQw4w9WgXcQ
ipfs cat QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBdG
stripe customers retrieve cus_NffrFeUfNV2Hib
stripe events resend evt_1MqqbKLt4dXK03v5qaIbiNCC
stripe login
systemctl restart php8.2-fpm
systemctl status session-c2.scope
journalctl -u web01 --since "2024-05-01 10:00" -n 200
journalctl -b -1 _PID=1234
crontab -e
at 23:30 2024-05-01
tmux new -s work2024
tmux attach -t dev2
screen -r 12345.pts-0.host1
vim +42 src/auth/password.ts
code --diff a1.json b2.json
nano ~/.config/app2/config.toml
export EDITOR=nvim
export NODE_OPTIONS=--max-old-space-size=4096
export AWS_PROFILE=prod2
export JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64
export KUBECONFIG=~/.kube/config-prod2
export PS1='\\u@\\h:\\w\\$ '
export TOKEN=$(cat ~/.token)
export API_KEY="$(pass show api2)"
export PASS="$OTHER_PASS"
unset GITHUB_TOKEN
TOKEN_FILE=./token2.txt ./run.sh
DEBUG=app:* PORT=3001 npm run dev2
TZ=Europe/Berlin date
alias k8s2='kubectl --context prod2'
history | grep docker2
xdg-open https://docs.google.com/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit
heroku logs --tail -a shop2024
heroku config:get DATABASE_URL -a shop2024
heroku config:set NODE_ENV=production LOG_LEVEL=debug2 -a shop2024
fly secrets list
fly deploy --image registry.fly.io/shop:deployment-01HX2Y3Z4A5B6C7D8E9F0G1H2J
vercel inspect dpl_89qyp1cskzkLrVicDaZoDbjyHuDJ
firebase use my-app-2f3b1
netlify deploy --prod --dir=dist2
wrangler secret list
doppler run -- npm start
nix build nixpkgs#hello
nix-store -q --references /nix/store/0c0p3j1q2k9d8z7x6w5v4b3n2m1l0k9j-hello-2.12.1
convert -resize 1920x1080 photo1.HEIC photo1.jpg
tesseract scan001.png out001 -l deu
bluetoothctl connect 00:1A:7D:DA:71:13
mount UUID=3e6be9de-8139-11d1-9106-a43f08d823a6 /mnt/data2
mount -t cifs //nas01/share2 /mnt -o credentials=/etc/.smb2,uid=1000
cryptsetup luksOpen /dev/nvme0n1p3 cryptroot2
fsck.ext4 /dev/sda1
restic -r s3:s3.amazonaws.com/bucket2 restore 79766175 --target /tmp/r2
restic snapshots --tag daily2024
borg extract /backup/repo2::host1-2024-05-01T03:00:00
virsh start win11-dev2
vagrant ssh web01
nomad job status web-v2
consul kv get app/db/host2
etcdctl get /registry/pods/default/web-5d4f8c7b9-x2x7q
rabbitmqctl list_users
htpasswd -D .htpasswd bob2
ldapsearch -x -b dc=example,dc=com uid=bob2
snmpwalk -v2c -c public 10.0.0.1 1.3.6.1.2.1.1
smbclient -L //nas01 -N
keybase id bob2
ngrok http 8080
tailscale status
bundle exec rspec spec/models/user_spec.rb:42
rails g migration AddTokenToUsers token:string
rails c -e production
mix phx.gen.secret 64
composer require symfony/console:^6.4
mvn -Dtest=TokenServiceTest2#refreshesToken test
gradle :app:assembleRelease -PversionCode=20240501
dotnet add package Newtonsoft.Json --version 13.0.3
java -jar build/libs/app-1.2.3-SNAPSHOT.jar --server.port=8081
Rscript analysis2024.R --k=5
wp user list --role=administrator
drush cr
explain this token
what does the secret key in config2.yaml do
why is password2 empty in test_login
`
  .trim()
  .split('\n');
