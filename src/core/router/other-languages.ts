import { wordSet } from './english.ts';

/**
 * Function words of languages in Latin letters, so short and common that a sentence of four words holds one. Words that are
 * also usual names of files or commands (`die`, `den`, `test`, `make`) are left out.
 */
export const FOREIGN_FUNCTION_WORDS = wordSet(
  // German
  'der das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ist sind war waren wird werden wurde hat haben hatte habe',
  'ich du er wir ihr mir dir mich dich sich uns euch mein meine meinen meinem dein deine sein seine unser wie warum wieso weshalb wann wer wen wem welche welcher',
  'welches welchen wo woher wohin kannst kann koennen können könnte soll sollte muss müssen muß darf bitte mal auf aus bei mit nach seit von vom zu zum zur für fuer durch gegen ohne über',
  'ueber unter vor hinter zwischen wenn weil dass daß ob noch nur schon auch sehr mehr alle allen aller alles etwas nichts jetzt hier dort immer nie wieder mach mache zeig zeige',
  'erkläre erklär lösche loesche gib gibt geht funktioniert läuft finde suche schreib warte danke',
  'fehler fehlermeldung verbindung abgelehnt verweigert kaputt langsam hängt haengt startet stoppt löschen loeschen ändern aendern anzeigen rückgängig umbenennen datei dateien ordner verzeichnis verzeichnisse',
  'installieren herunterladen passwort vergessen beenden prozess prozesse zeigen finden suchen größer kleiner älter letzte letzten letzter rekursiv leeren leere versehentlich gelöscht',
  // French
  'erreur fichier fichiers dossier dossiers connexion refusée refusé lent lente échoue plante planté annuler renommer récursif récursivement afficher installer télécharger dernier dernière vide caché cachés processus tuer',
  'le la les un une des du de et ou mais pas ne est sont était sera suis es ai avons avez ont je tu il elle nous vous ils elles on mon ma mes ton ta tes son sa ses notre votre leur leurs',
  'ce cette ces cet que qui quoi dont où comment pourquoi quand combien quel quelle quels quelles dans sur sous avec sans pour par chez vers entre depuis peux peut pouvez puis veux dois',
  'fais fait faire montre montrer supprime supprimer trouve merci aussi très plus moins tout toute tous toutes rien ici là encore marche explique aide si',
  // Spanish
  'el los las una unos unas del y o pero no es son está están estan fue era ser hay yo tú él ella nosotros ellos mi mis tu tus su sus este esta estos estas ese esa eso esto lo le les se me te nos',
  'qué que quién cómo como cuándo cuando dónde donde cuál cual cuánto porqué porque en con sin para por sobre entre hasta desde hacia puedes puedo puede quiero necesito tengo tiene hacer haz muestra borra elimina',
  'busca dime ayuda gracias muy más menos todo toda todos todas nada aquí ahora también funciona falla favor al',
  'archivo archivos carpeta carpetas conexión rechazada rechazado lento lenta borrar deshacer mostrar instalar descargar último última vacía vacío ocultos proceso procesos matar recursivo renombrar permiso permisos denegado falló',
  // Italian
  'errore cartella cartelle connessione rifiutata rifiutato cancellare annullare mostrare installare scaricare ultimo ultima vuota vuoto nascosti processo processi rinominare permesso negato bloccato',
  'il lo gli i uno dei degli delle della dello del dal dalla dalle nel nella nelle sul sulla e ed ma non è sono era sei siamo ho hai ha abbiamo hanno io lui lei noi voi loro mio mia miei tuo tua suo sua questo questa questi',
  'queste quello quella che chi cosa come quando dove perché perche quale quali quanto con senza per tra fra da su puoi posso può voglio devo fare fai mostra mostrami cancella trova spiega aiuto grazie molto più meno tutto tutti',
  'tutte niente qui ora ancora anche funziona favore',
  // Portuguese
  'os as um uma uns umas dos das ao aos à às e mas não nao é são sao está foi era eu você voce ele ela nós eles meu minha meus minhas seu sua isso isto esse essa este esta que quem como quando onde qual quais quanto porquê por',
  'porque em no na nos nas com sem para pra pelo pela sobre entre até desde posso pode quero preciso tenho tem fazer faça mostre apague encontre ajuda obrigado obrigada muito mais menos tudo todos todas nada aqui agora também funciona',
  'erro arquivo arquivos pasta pastas conexão recusada desfazer mostrar baixar último vazia ocultos processos renomear permissão negada travou',
  // Dutch
  'fout foutmelding bestand bestanden verbinding geweigerd traag verwijderen verwijderd ongedaan hernoemen installeren lege laatste steeds stopt gestopt mappen wachtwoord',
  'het een de en of maar niet geen is zijn was waren wordt ik jij je hij zij wij jullie mij mijn jouw onze deze dit dat die wie wat waar wanneer waarom hoe welke kan kun kunnen moet moeten wil zou alsjeblieft op uit bij met naar van voor',
  'door zonder over onder tussen als omdat ook nog alleen heel meer alle alles niets nu hier daar altijd nooit weer werkt doet verwijder laat zien zoek schrijf bedankt',
  // Polish
  'jest są nie tak że i lub ale jak dlaczego czemu kiedy gdzie kto co który która które jaki jaka jakie ja ty on ona my wy oni mój moja moje mnie mi ci go jej ich nam wam się sie to ten ta te tego tej w we z ze na do od po pod nad przed przez dla bez',
  'czy żeby może możesz mogę muszę chcę proszę prosze dziękuję dzieki dzięki bardzo wszystkie wszystko nic tutaj teraz też działa dziala pokaż pokaz usuń usun znajdź napraw wyjaśnij',
  'błąd plik pliki pliku katalog folder połączenie odrzucone wolno usunąć cofnąć zmienić zainstaluj ostatni pusty ukryte proces procesy hasło',
  // Turkish
  'hata hatası klasör bağlantı reddedildi yavaş silme gizli son işlem şifre',
  'bir ve veya ama değil degil bu şu o ben sen biz siz onlar benim senin bana sana bunu şunu nasıl nasil neden niçin nicin ne zaman nerede kim hangi kaç mi mı mu mü için icin ile gibi kadar daha çok cok az her hiç hiçbir var yok lütfen lutfen',
  'olarak oluyor çalışmıyor calismiyor çalışıyor göster sil bul yap açıkla tüm bütün dosyaları dosya nasıl',
  // Swedish, Danish, Norwegian
  'och att det som en ett är var inte jag du han hon vi ni de mig dig sig min mitt mina din ditt dina hur varför varfor när vem vad vilken vilka kan ska skulle måste vill på pa av för med utan till från fran om eller men också alla allt inget här nu igen',
  'og ikke jeg er hvordan hvorfor når hvem hva hvad hvor min mitt dit på til fra om eller men også alle alt ingen her nå kan skal må vil tak takk tack visa ta bort fungerar virker slett vis snälla',
  'fel filer mapp mappar anslutning nekad långsam ångra döp fil senaste tomma dolda process lösenord feil mappe tilkobling avvist treg fejl forbindelse afvist langsom',
  // Finnish, Hungarian, Czech, Romanian
  'ja ei on se tämä miten miksi missä milloin kuka mikä voi voinko minun kiitos kaikki ole toimi és vagy nem hogyan miért hol mikor ki mi ez az egy kérlek minden nincs működik jak proč kde kdy kdo co je jsou není ten ta to se si že nebo ale pro',
  'prosím všechny nefunguje și sau nu este sunt cum de ce când unde cine care un o la cu fără pentru vreau pot te rog toate',
  // Indonesian, Vietnamese, Tagalog
  'yang dan atau tidak ini itu saya kamu anda kami mereka bagaimana kenapa mengapa kapan dimana siapa apa mana bisa tolong untuk dari ke di dengan tanpa semua jangan sudah belum cara hapus',
  'không làm sao thế nào tại cách được của và là tôi bạn cái này xóa paano bakit ang ng mga hindi ko mo po',
  // Hindi, Russian, Japanese, Chinese, Arabic in Latin letters
  'kya kaise kyu kyun kyon kab kahan kahaan kaun hai hain tha nahi nahin mat mera mere meri tera aap tum main mujhe ko ka ki ke se mein aur ya lekin karo karna karein kare kar raha rahi batao dikhao hatao sab abhi yeh woh kripya chahiye',
  'pochemu kak gde kogda kto chto eto ya ty my vy oni moi moy moya mne menya ne net da i ili no dlya bez pozhaluysta pozhalujsta spasibo mozhno nuzhno udali pokazhi rabotaet ispravit naiti',
  'wa ga wo ni desu masu kudasai shite onegai nani doko itsu dare naze doushite dou sono kono ano watashi nai arimasu dekimasu dekiru hoshii kara made',
  'zenme weishenme shenme ma de wo ni ta bu qing keyi nali kayf kaif limaza limadha ayna mata hal hatha',
);

/**
 * Words of those lists that are a usual operand in a shell, or English: one of them alone proves nothing, but beside another
 * word of a sentence it counts.
 */
export const WEAK_FOREIGN_WORDS = wordSet(
  'jest dir encore hist de en di se me no as is to on do o e i y w z la le les un si su tu ma es ha ne go te ta co mi my we ze od po pod ya main on ten der das den des dem man mal op of or os ni wo ko ka ki ke sen son dos das das sera',
  'sei era all alle was war wie wer hat mit aus bei vor van voor over under min din sin con per para por com sem em no na nos por via tra fra from da dal del sur sous par vers entre var az ez ki nu la un o cu ce care un pot rog',
  'kab mat tum hal mata hain made kara dou nani wa ga po ng ang kar sab ka ja ei se on co je to ta und ei ver vis tak er det her kan skal vil til fra om men alt make test tag plus tout son ton mon port note fait ai as os da dan ini itu cara apa',
  'aide dont fin sans est sont dame era fare fai qui ora more lo il uno sono hai das der ser hay sale este esta sobre como cual todo toda todos nada busca borra mis tus sus los las una del al favor elle',
  'ni vi visa ska mig dig ett sig bort till nere ihr ob er uns du es im zu ta ti ci nam wam jej ich we de het een die dat dit wat waar hoe kun wil zou als ook nog heel meer daar weer zien zoek laat doet',
  'ben biz siz bu ne kim her var yok sil bul yap gibi daha az cok mu bir ama ve ile ali mai prima poi',
);

/** Words to say hello, thank or agree with, outside English: never a slip of a command. */
export const FOREIGN_REPLIES = wordSet(
  'danke bitte ja nein doch genau klar super toll gut prima moin servus tschüss weiter fertig merci oui non salut bonjour bonsoir voila voilà parfait génial daccord',
  'hola gracias si sí vale dale bueno bien claro listo adios adiós ciao grazie prego bene certo perfetto basta avanti olá ola obrigado obrigada sim não tudo beleza',
  'dank bedankt graag prima mooi goed doei tak nie dobrze dzięki dzieki czesc cześć super evet hayır hayir tamam merhaba teşekkürler tesekkurler hej tack bra ja nej takk tak kiitos moi hei köszi ahoj dik díky',
  'haan nahi theek accha acha namaste shukriya spasibo privet da net horosho davai ladno hai iie arigato arigatou konnichiwa sugoi xiexie nihao dui hao shukran salam merhaba aloha terima kasih mersi',
);
