/**
 * Lines as users type them, with a password, a token or a key in each: `V` stands for it, and `W` for a second one. They are
 * from the manuals of the programs, so that nobody has to know all of them.
 */
export const LINES_WITH_PASSWORDS: readonly string[] = `
mysql -u root -pV shop
mysql -u root --password=V shop
mysqldump --user=app --password=V shop > shop.sql
mysqladmin -u root password V
mysqladmin -u root -pV password W
mariadb -h db -uapp -pV
mysql -e "ALTER USER 'app'@'%' IDENTIFIED BY 'V'"
mysql -e "CREATE USER app IDENTIFIED BY 'V'; GRANT ALL ON *.* TO app"
mysql -e "SET PASSWORD FOR app = PASSWORD('V')"
psql -c "CREATE ROLE app LOGIN PASSWORD 'V'"
psql -c "ALTER USER app WITH PASSWORD 'V'"
psql "postgresql://app:V@db.example:5432/shop"
psql "host=db user=app password=V dbname=shop"
PGPASSWORD=V psql -h db -U app shop
export PGPASSWORD=V
MYSQL_PWD=V mysql -u root
PASS=V ./deploy.sh
PW=V make release
export PW=V
export PASS=V
DB_PASS=V npm start
env SECRET=V node server.js
export API_KEY="V"
export STRIPE_KEY=V
set -x GITHUB_TOKEN V
setenv API_TOKEN V
declare -x TOKEN=V
read -r TOKEN <<< V
TOKEN='V' curl https://api.example.com
echo V | sudo -S apt update
echo 'V' | sudo -S -k systemctl restart nginx
sudo -S apt install jq <<< V
sudo -S true <<< "V"
printf '%s\\n' V | sudo -S ls /root
echo u:V | chpasswd
echo "bob:V" | sudo chpasswd
chpasswd <<< "bob:V"
echo V | passwd --stdin bob
echo -e "V\\nV" | passwd bob
printf 'V\\nV\\n' | smbpasswd -a -s bob
echo V | docker login -u bob --password-stdin registry.example
docker login -u bob -p V registry.example
podman login --username bob --password V quay.io
docker login --password-stdin -u bob <<< V
echo V | helm registry login -u bob --password-stdin ghcr.io
helm repo add internal https://charts.example --username bob --password V
echo V | gh auth login --with-token
gh secret set DEPLOY_KEY --body V
gh secret set DEPLOY_KEY -b V
echo V | gh secret set DEPLOY_KEY
glab variable set DEPLOY_TOKEN V
gh auth login --with-token <<< V
kinit bob@EXAMPLE.COM <<< V
echo V | kinit bob
vault login V
vault login -method=userpass username=bob password=V
vault kv put secret/app pw=V
vault kv put secret/app username=bob passwd=V
vault write auth/userpass/users/bob password=V policies=default
vault operator unseal V
VAULT_TOKEN=V vault kv list secret
consul kv put app/db/password V
etcdctl --user root:V get foo
etcdctl put /app/secret V
kubectl create secret generic db --from-literal=pw=V
kubectl create secret generic db --from-literal=user=app --from-literal=password=V
kubectl create secret docker-registry reg --docker-server=x.example --docker-username=bob --docker-password=V
kubectl config set-credentials bob --token=V
kubectl --token V get pods
oc login --token=V --server=https://api.example:6443
oc login -u bob -p V
az login -u bob@example.com -p V
az login --service-principal -u app -p V --tenant example.org
az keyvault secret set --vault-name v --name db --value V
az storage blob list --account-name acct --account-key V -c box
az storage blob list --sas-token V --account-name acct
aws configure set aws_secret_access_key V
aws ssm put-parameter --name /db/pw --type SecureString --value V
aws secretsmanager create-secret --name db --secret-string V
aws secretsmanager put-secret-value --secret-id db --secret-string '{"password":"V"}'
aws rds modify-db-instance --db-instance-identifier db --master-user-password V
aws iam create-login-profile --user-name bob --password V
aws cognito-idp admin-set-user-password --user-pool-id eu-1 --username bob --password V --permanent
AWS_SECRET_ACCESS_KEY=V aws s3 ls
gcloud sql users set-password root --host=% --instance=db --password=V
gcloud secrets create db --data-file=<(echo V)
echo -n V | gcloud secrets create db --data-file=-
doctl auth init -t V
fly secrets set DATABASE_PW=V
fly secrets set SESSION=V -a shop
flyctl auth token V
heroku config:set API_PW=V -a shop
netlify env:set API_SECRET V
vercel --token V deploy
echo V | vercel env add API_KEY production
supabase secrets set KEY=V
supabase login --token V
doppler secrets set STRIPE V
doppler configure set token V
railway variables --set "PW=V"
wrangler secret put API <<< V
echo V | wrangler secret put API
firebase login:ci --token V
rclone config create s3 s3 access_key_id AKX secret_access_key V
rclone config create box webdav url https://x.example user bob pass V
rclone obscure V
restic -r /b init --password-command "echo V"
RESTIC_PASSWORD=V restic snapshots
borg create ::a . && BORG_PASSPHRASE='V' borg list
duplicity full /home --encrypt-key AB --passphrase V
twine upload -u __token__ -p V dist/*
poetry publish -u bob -p V
poetry config pypi-token.pypi V
poetry config http-basic.repo bob V
cargo login V
cargo publish --token V
npm login --auth-type=legacy --_password V
npm config set //registry.npmjs.org/:_authToken V
npm publish --otp=123456 --//registry.example/:_authToken=V
yarn config set npmAuthToken V
nuget push x.nupkg -k V -s https://nuget.example
dotnet nuget push x.nupkg --api-key V
dotnet nuget add source https://x.example -n x -u bob -p V --store-password-in-clear-text
dotnet user-secrets set "Db:Password" V
gem push x.gem --key V
mvn deploy -Drepo.password=V
mvn --encrypt-password V
gradle publish -PrepoPassword=V
java -Djavax.net.ssl.keyStorePassword=V -jar app.jar
keytool -genkey -keystore k.jks -storepass V -keypass W
jarsigner -storepass V app.jar alias
openssl pkcs12 -export -in c.pem -out c.p12 -passout pass:V
openssl enc -aes-256-cbc -k V -in a -out b
openssl rsa -in k.pem -passin pass:V
openssl passwd -6 V
gpg --batch --passphrase V -c file
gpg --batch --passphrase-fd 0 -d f.gpg <<< V
echo V | gpg --batch --passphrase-fd 0 -d f.gpg
ssh-keygen -t ed25519 -N V -f key
ssh-keygen -p -P V -N W -f key
sshpass -p V ssh bob@host
sshpass -pV scp a bob@host:
SSHPASS=V sshpass -e ssh bob@host
expect -c 'spawn su; expect Password; send "V\\r"; interact'
7z a -pV out.7z docs
7z x -pV out.7z
7za a out.7z docs -pV -mhe
rar a -hpV out.rar docs
unrar x -pV out.rar
zip -P V out.zip docs
zip --password V -r out.zip docs
unzip -P V out.zip
qpdf --password=V --decrypt a.pdf b.pdf
qpdf --encrypt V W 256 -- a.pdf b.pdf
pdftk a.pdf output b.pdf user_pw V
pdftotext -upw V a.pdf
cryptsetup luksOpen /dev/sdb1 x <<< V
echo -n V | cryptsetup luksFormat /dev/sdb1 -
mount -t cifs //nas/x /mnt -o username=bob,password=V
smbclient //nas/x -U bob%V
smbclient //nas/x V -U bob
rpcclient -U "bob%V" nas
net use z: \\\\nas\\x V /user:bob
crackmapexec smb 10.0.0.1 -u bob -p V
evil-winrm -i 10.0.0.1 -u bob -p V
impacket-psexec corp/bob:V@10.0.0.1
xfreerdp /u:bob /p:V /v:host
rdesktop -u bob -p V host
vncviewer host -passwd V
x11vnc -passwd V
nmcli device wifi connect home password V
nmcli connection modify home wifi-sec.psk V
wpa_passphrase home V
iwctl --passphrase V station wlan0 connect home
networksetup -setairportnetwork en0 home V
openconnect vpn.example -u bob --passwd-on-stdin <<< V
echo V | openconnect --user=bob --passwd-on-stdin vpn.example
tailscale up --authkey=V
tailscale up --auth-key V
ngrok authtoken V
ngrok config add-authtoken V
cloudflared tunnel run --token V
wandb login V
huggingface-cli login --token V
hf auth login --token V
kaggle config set -n key -v V
sentry-cli login --auth-token V
sentry-cli --auth-token V releases list
snyk auth V
sonar-scanner -Dsonar.login=V
travis encrypt SECRET=V
circleci setup --token V --host https://circleci.com
argocd login cd.example --username admin --password V
argocd account update-password --current-password V --new-password W
terraform apply -var db_password=V
terraform apply -var="db_password=V"
TF_VAR_db_password=V terraform plan
pulumi config set --secret dbPassword V
ansible-playbook site.yml -e ansible_become_pass=V
ansible-playbook site.yml --extra-vars "ansible_password=V"
ansible-vault encrypt_string V --name db
helm upgrade app ./chart --set auth.rootPassword=V
helm install redis bitnami/redis --set auth.password=V,replicas=1
docker run -e POSTGRES_PASSWORD=V -d postgres
docker run -e MYSQL_ROOT_PASSWORD=V mysql:8
docker service create --env TOKEN=V nginx
echo V | docker secret create db -
docker build --build-arg NPM_TOKEN=V .
docker-compose run -e PW=V web
redis-cli -a V ping
redis-cli AUTH V
redis-cli --pass V ping
redis-cli config set requirepass V
REDISCLI_AUTH=V redis-cli
redis-server --requirepass V
mongosh -u admin -p V
mongosh "mongodb://admin:V@db/shop"
mongodump --uri="mongodb+srv://admin:V@c.example/shop"
mongo shop --eval "db.createUser({user:'bob',pwd:'V',roles:[]})"
cqlsh -u cassandra -p V
clickhouse-client --user default --password V
influx -username admin -password V
influx config create -n x -u http://h:8086 -o o -t V
sqlplus system/V@db
sqlplus scott/V@//db:1521/orcl
sqlcmd -S db -U sa -P V
bcp t out f -S db -U sa -P V
tsql -S db -U sa -P V
isql dsn sa V
impdp system/V directory=d dumpfile=x.dmp
snowsql -a acct -u bob --password V
neo4j-admin dbms set-initial-password V
cypher-shell -u neo4j -p V
rabbitmqctl add_user bob V
rabbitmqctl change_password bob V
rabbitmqadmin -u bob -p V list queues
htpasswd -nbB bob V
htpasswd -b .htpasswd bob V
htdigest -c f realm bob <<< V
mosquitto_pub -t x -m hi -u bob -P V
mosquitto_passwd -b f bob V
snmpwalk -v3 -u bob -A V -X W host
snmpget -v2c -c V host sysDescr.0
ipmitool -I lanplus -H h -U admin -P V chassis status
ldapsearch -D cn=admin,dc=x -w V -b dc=x
ldappasswd -D cn=admin,dc=x -w V -s W uid=bob
ldapwhoami -x -D cn=bob -w V
slappasswd -s V
samba-tool user create bob V
samba-tool user setpassword bob --newpassword=V
net rpc join -U admin%V
wbinfo -a bob%V
useradd -m -p V bob
usermod -p V bob
dscl . -passwd /Users/bob V
security add-generic-password -a bob -s svc -w V
security unlock-keychain -p V login.keychain
secret-tool store --label=x key val <<< V
echo V | pass insert -e site/bob
bw login bob@example.com V
bw unlock V
op signin my bob@example.com A3-XX V
lpass login bob@example.com <<< V
curl -u bob:V https://x.example
curl --user bob:V https://x.example
curl -ubob:V https://x.example
curl --proxy-user bob:V -x proxy:3128 https://x.example
curl -H "X-Api-Key: V" https://x.example
curl -H "apikey: V" https://x.example
curl -H 'Authorization: Bearer V' https://x.example
curl -H "Authorization: V" https://x.example
curl -H "Authorization: Token token=V" https://x.example
curl -H "PRIVATE-TOKEN: V" https://gitlab.example/api/v4/projects
curl -H 'Cookie: sid=V' https://x.example
curl -H "X-Vault-Token: V" https://vault.example/v1/secret
curl -b "session=V" https://x.example
curl --cookie 'PHPSESSID=V; theme=dark' https://x.example
curl --oauth2-bearer V https://x.example
curl --pass V --key k.pem --cert c.pem https://x.example
curl -E cert.pem:V https://x.example
curl "https://x.example/api?key=V"
curl "https://x.example/api?user=bob&api_key=V&x=1"
curl -d "username=bob&password=V" https://x.example/login
curl -d '{"user":"bob","password":"V"}' https://x.example/login
curl --data-urlencode "token=V" https://x.example
curl -F token=V -F file=@x https://x.example
curl ftp://bob:V@ftp.example/f
wget --http-user=bob --http-password=V https://x.example/f
wget --header="X-Auth-Token: V" https://x.example/f
wget --user bob --password V ftp://x.example/f
http -a bob:V GET https://x.example
http https://x.example X-API-Key:V
http POST https://x.example/login user=bob password=V
xh -A bearer -a V https://x.example
grpcurl -H "authorization: V" x.example:443 list
websocat -H="X-Token: V" wss://x.example
aria2c --http-user=bob --http-passwd=V https://x.example/f
lftp -u bob,V ftp.example
lftp -e "open -u bob,V ftp.example"
ncftpput -u bob -p V h . f
sftp bob:V@host
rsync --password-file=<(echo V) rsync://bob@h/m .
git clone https://bob:V@git.example/a/b.git
git clone https://V@github.com/a/b.git
git remote add up https://V@git.example/a/b
git remote set-url origin https://oauth2:V@gitlab.example/a/b
git -c http.extraHeader="AUTHORIZATION: bearer V" fetch
git push https://bob:V@git.example/a/b main
svn checkout --username bob --password V https://svn.example/r
hg clone https://bob:V@hg.example/r
p4 -P V sync
pip install --index-url https://bob:V@pypi.example/simple x
pip install git+https://V@github.com/a/b
jira login --token V
jenkins-cli -auth bob:V build x
java -jar jenkins-cli.jar -s http://j -auth bob:V list-jobs
sam deploy --parameter-overrides DbPassword=V
serverless deploy --param="token=V"
mutt -e 'set smtp_pass=V'
swaks --to a@b.example --auth-user bob --auth-password V
s-nail -S smtp-auth-password=V a@b.example
msmtp --passwordeval="echo V" a@b.example
youtube-dl -u bob -p V https://v.example/x
yt-dlp --password V https://v.example/x
curl -u "V:" https://x.example
curl https://x.example/t/V/noarch/repodata.json
conda config --set channel_alias https://conda.example/t/V/
xfreerdp /u:bob /p:V /v:srv
signtool sign /f cert.pfx /p V app.exe
keepassxc-cli open vault.kdbx <<< 'V'
composer config --global github-oauth.github.com V
python3 manage.py shell -c "from a import U; U.set_password('V')"
oathtool --totp -b V
hydra -l bob -p V ssh://10.0.0.1
john --stdin <<< V
steam +login bob V +quit
steamcmd +login bob V +app_update 90
telegram-send --configure --token V
slack-cli -t V send hi
twurl authorize --consumer-key k --consumer-secret V
octokit --auth V
http GET https://x.example "Authorization:Bearer V"
az devops login --token V
echo V | az devops login --organization https://dev.azure.com/x
pscp -pw V f bob@h:
plink -ssh bob@h -pw V
winscp.com /command "open sftp://bob:V@h/"
sudo sh -c 'echo "bob:V" | chpasswd'
ssh host "mysql -u root -pV shop"
ssh host 'PGPASSWORD=V psql shop'
bash -c "export TOKEN=V; ./run"
ghp login -t V
mc alias set s3 https://s3.example ACCESS V
s3cmd --access_key=AK --secret_key=V ls
mcli alias set x https://x.example key V
ceph auth import -i <(echo V)
barman --wal-password V x
pgbench "sslpassword=V user=x"
linode-cli --root_pass V linodes create
hcloud context create x <<< V
scw init secret-key=V
exo config add --secret V
openstack --os-password V server list
openstack user create --password V bob
nova --os-auth-token V list
ibmcloud login --apikey V
oci setup --passphrase V
aliyun configure set --access-key-secret V
tccli configure set secretKey V
databricks configure --token <<< V
dbt run --vars '{"pw": "V"}'
airflow users create -u bob -p V -r Admin
airflow connections add x --conn-password V
superset fab create-admin --username bob --password V
django-admin shell -c "u.set_password('V')"
rails runner "User.first.update(password: 'V')"
wp user create bob b@x.example --user_pass=V
wp config set DB_PASSWORD V
drush upwd bob V
drush user:password bob "V"
php artisan tinker --execute="\\$u->password = bcrypt('V')"
occ user:resetpassword --password-from-env bob; OC_PASS=V occ user:add bob
keycloak kcadm.sh config credentials --user admin --password V --realm master
kcadm.sh set-password -r x --username bob --new-password V
gitlab-runner register --registration-token V
gitea admin user create --username bob --password V
buildkite-agent start --token V
drone --token V info
nomad acl bootstrap <<< V
consul members -token=V
nats --password V sub x
nats -s nats://bob:V@h:4222 sub x
kafkacat -b h -X sasl.password=V
kcat -b h -X sasl.username=x -X sasl.password=V
tabcmd login -u bob -p V
pac auth create --clientSecret V
sf org login sfdx-url --sfdx-url-stdin <<< V
sfdx force:user:password:set -p V
wg set wg0 peer X preshared-key <(echo V)
ipsec secrets bob : PSK "V"
pppd call x password V
chap-secrets bob V
gsutil config -e V
ffmpeg -decryption_key V -i a.mp4 b.mp4
ffmpeg -i in.mp4 -f flv rtmp://live.example/app/V
tr181 set Device.WiFi.KeyPassphrase V
adb shell cmd wifi connect-network home wpa2 V
adb shell locksettings set-password V
`
  .trim()
  .split('\n');
